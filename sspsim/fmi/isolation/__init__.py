"""Components in processes of their own: what happens to them there does not happen to us."""

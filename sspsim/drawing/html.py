"""A picture in a page that works without a network: hover for ports and values, click into systems."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from sspsim.drawing.diagram import Diagram
from sspsim.drawing.picture import Picture
from sspsim.drawing.svg import write_svg

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 0; font: 13px Helvetica, Arial, sans-serif; overflow: hidden;
  background: light-dark(#fff, #14191f); color: light-dark(#1d2733, #e6ebf0); }}
#sheet > svg {{ width: 100vw; height: 100vh; cursor: grab; display: block; }}
#help {{ position: fixed; left: 12px; top: 8px; opacity: 0.75; }}
#about {{ position: fixed; right: 12px; top: 12px; max-width: 40vw; max-height: 85vh; overflow: auto;
  display: none; padding: 10px 14px; border: 1px solid #8796a5; border-radius: 8px;
  background: light-dark(#fff, #232c36); }}
#about h1 {{ font-size: 15px; margin: 0 0 4px; }}
#about p {{ margin: 2px 0; }}
#about td {{ padding: 1px 10px 1px 0; vertical-align: top; }}
#about .kind {{ opacity: 0.65; }}
[data-system] {{ cursor: zoom-in; }}
.faint {{ opacity: 0.12; }}
</style></head><body>
<div id="sheet">{svg}</div>
<div id="help">{title} · drag and wheel move the picture, a click on a system goes into it, Esc goes back</div>
<div id="about"></div>
<script type="application/json" id="facts">{facts}</script>
<script>{script}</script>
</body></html>
"""

SCRIPT = """
const svg = document.querySelector('#sheet > svg'), about = document.getElementById('about');
const facts = JSON.parse(document.getElementById('facts').textContent);
const whole = svg.getAttribute('viewBox').split(' ').map(Number), stack = [];
let view = whole.slice();
svg.removeAttribute('width'); svg.removeAttribute('height');
svg.querySelectorAll('[data-box] > title').forEach(t => t.remove());
const show = v => { view = v; svg.setAttribute('viewBox', v.join(' ')); };
const perPixel = () => Math.max(view[2] / svg.clientWidth, view[3] / svg.clientHeight);
svg.addEventListener('wheel', e => {
  e.preventDefault();
  const f = Math.exp(e.deltaY * 0.001), p = new DOMPoint(e.clientX, e.clientY)
    .matrixTransform(svg.getScreenCTM().inverse());
  show([p.x - (p.x - view[0]) * f, p.y - (p.y - view[1]) * f, view[2] * f, view[3] * f]);
}, { passive: false });
let grip = null, moved = false;
svg.addEventListener('pointerdown', e => { grip = [e.clientX, e.clientY, view.slice()]; moved = false; });
window.addEventListener('pointerup', () => { grip = null; });
window.addEventListener('pointermove', e => {
  if (!grip) return;
  const k = perPixel(), dx = (e.clientX - grip[0]) * k, dy = (e.clientY - grip[1]) * k;
  moved = moved || Math.abs(dx) + Math.abs(dy) > 4 * k;
  show([grip[2][0] - dx, grip[2][1] - dy, grip[2][2], grip[2][3]]);
});
const cell = (row, text, name) => {
  const td = row.insertCell(); td.textContent = text; if (name) td.className = name;
};
const tell = name => {
  const f = facts[name];
  about.replaceChildren();
  const h = document.createElement('h1'); h.textContent = name; about.append(h);
  for (const line of f.facts) {
    const p = document.createElement('p'); p.textContent = line; about.append(p);
  }
  const table = document.createElement('table');
  for (const port of f.ports) {
    const row = table.insertRow();
    cell(row, port.kind, 'kind'); cell(row, port.name); cell(row, port.facts);
  }
  about.append(table);
  about.style.display = 'block';
  document.querySelectorAll('[data-from]').forEach(w =>
    w.classList.toggle('faint', w.dataset.from !== name && w.dataset.to !== name));
};
const hush = () => {
  about.style.display = 'none';
  document.querySelectorAll('.faint').forEach(w => w.classList.remove('faint'));
};
document.querySelectorAll('[data-box]').forEach(g => {
  g.addEventListener('pointerenter', () => tell(g.dataset.box));
  g.addEventListener('pointerleave', hush);
  if (g.dataset.system) g.addEventListener('click', () => {
    if (moved) return;
    const r = g.getBoundingClientRect(), inverse = svg.getScreenCTM().inverse();
    const a = new DOMPoint(r.left, r.top).matrixTransform(inverse);
    const b = new DOMPoint(r.right, r.bottom).matrixTransform(inverse);
    stack.push(view); show([a.x - 10, a.y - 10, b.x - a.x + 20, b.y - a.y + 20]);
  });
});
window.addEventListener('keydown', e => { if (e.key === 'Escape') show(stack.pop() || whole); });
"""


def write_html(diagram: Diagram, picture: Picture) -> str:
    """The page as a text."""
    facts = json.dumps(_facts(diagram)).replace("</", "<\\/")
    return PAGE.format(title=escape(diagram.name), svg=write_svg(picture), facts=facts, script=SCRIPT)


def _facts(diagram: Diagram) -> dict[str, Any]:
    return {
        box.name: {
            "facts": [box.words, *box.facts] if box.inner or not box.facts else list(box.facts),
            "ports": [
                {"kind": "in" if port.is_input else "out", "name": port.name, "facts": port.facts}
                for port in box.ports
            ],
        }
        for inner in diagram.walk()
        for box in inner.boxes
    }

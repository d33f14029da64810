"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const root = document.documentElement;
const MARGIN = { left: 64, right: 10, top: 8, bottom: 26 };
const charts = [];
let span = [data.time[0], data.time[1]];

/* ---- numbers ---------------------------------------------------------------------------------------------- */

function decode(text, type) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new type(bytes.buffer);
}

function unpack(curve) { /* values are kept as distances from a base, which single precision holds well */
  const values = Float64Array.from(decode(curve.v, Float32Array), (d) => d * curve.unit + curve.base);
  return { ...curve, t: curve.t === null ? null : decode(curve.t, Float64Array), v: values, on: curve.on };
}

function ticks(low, high, count) {
  const raw = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw) || raw;
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9; k++) found.push(k * step);
  return found;
}

function labels(values) { /* as many digits as it takes to tell neighbours apart */
  const largest = Math.max(...values.map(Math.abs)), step = values.length > 1 ? values[1] - values[0] : largest || 1;
  const place = Math.floor(Math.log10(step) + 1e-9), far = largest >= 1e6 || largest < 1e-3;
  return values.map((v) => {
    if (Math.abs(v) < step / 2) return "0";
    if (!far) return v.toFixed(Math.max(0, -place));
    return v.toExponential(Math.max(0, Math.floor(Math.log10(Math.abs(v)) + 1e-9) - place)).replace("e+", "e");
  });
}

function short(x) {
  if (!Number.isFinite(x)) return String(x);
  return String(Number(x.toPrecision(6))).replace("e+", "e");
}

function after(times, t) { /* the first place behind t */
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle + 1; else high = middle;
  }
  return low;
}

/* ---- one chart -------------------------------------------------------------------------------------------- */

class Chart {
  constructor(panel, place) {
    this.panel = panel;
    this.curves = panel.curves.map(unpack);
    for (const curve of this.curves) if (curve.t === null) curve.t = shared;
    this.canvas = place.querySelector("canvas");
    this.tip = place.querySelector(".tip");
    this.legend = place.querySelector(".legend");
    this.makeLegend();
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  makeLegend() {
    this.buttons = this.curves.map((curve) => {
      const button = document.createElement("button");
      const line = document.createElement("i");
      const name = document.createElement("span");
      button.type = "button";
      line.style.background = curve.colour;
      name.textContent = curve.name;
      button.title = [curve.name, curve.words, "click: show or hide, double click: only this one"].filter(Boolean).join("\n");
      button.append(line, name);
      button.setAttribute("aria-pressed", String(curve.on));
      button.onclick = () => this.toggle(curve, !curve.on);
      button.ondblclick = () => { for (const other of this.curves) this.toggle(other, other === curve); };
      this.legend.append(button);
      return button;
    });
  }

  toggle(curve, on) {
    curve.on = on;
    this.buttons[this.curves.indexOf(curve)].setAttribute("aria-pressed", String(on));
    this.draw();
  }

  listen() {
    let from = null;
    const at = (event) => event.offsetX;
    this.canvas.onpointerdown = (event) => { from = at(event); this.canvas.setPointerCapture(event.pointerId); };
    this.canvas.onpointermove = (event) => {
      for (const chart of charts) chart.draw(this.time(at(event)), chart === this && from !== null ? [from, at(event)] : null);
      this.tell(event);
    };
    this.canvas.onpointerup = (event) => {
      const to = at(event);
      if (from !== null && Math.abs(to - from) > 5) zoom([this.time(Math.min(from, to)), this.time(Math.max(from, to))]);
      from = null;
    };
    this.canvas.onpointerleave = () => { this.tip.style.display = "none"; for (const chart of charts) chart.draw(); };
    this.canvas.ondblclick = () => zoom([data.time[0], data.time[1]]);
  }

  time(x) {
    const share = (x - MARGIN.left) / (this.width - MARGIN.left - MARGIN.right);
    return span[0] + Math.min(1, Math.max(0, share)) * (span[1] - span[0]);
  }

  x(t) { return MARGIN.left + (t - span[0]) / (span[1] - span[0]) * (this.width - MARGIN.left - MARGIN.right); }
  y(v) { return MARGIN.top + (this.high - v) / (this.high - this.low) * (this.height - MARGIN.top - MARGIN.bottom); }

  range() { /* what can be seen decides the scale */
    let low = Infinity, high = -Infinity;
    for (const curve of this.curves) {
      if (!curve.on) continue;
      const first = Math.max(0, after(curve.t, span[0]) - 1), last = Math.min(curve.t.length, after(curve.t, span[1]) + 1);
      for (let k = first; k < last; k++) {
        const v = curve.v[k];
        if (!Number.isFinite(v)) continue;
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
    if (!(low <= high)) [low, high] = [0, 1];
    const rounding = 1e-8 * Math.max(Math.abs(low), Math.abs(high)); /* is not magnified */
    const room = high - low > rounding ? 0.06 * (high - low) : Math.max(1e-12, 0.5 * Math.abs(high) || 0.5);
    [this.low, this.high] = [low - room, high + room];
  }

  draw(cursor = null, band = null) {
    const canvas = this.canvas, scale = window.devicePixelRatio || 1;
    [this.width, this.height] = [canvas.clientWidth, canvas.clientHeight];
    if (!this.width) return;
    if (canvas.width !== Math.round(this.width * scale)) {
      canvas.width = Math.round(this.width * scale);
      canvas.height = Math.round(this.height * scale);
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    this.range();
    this.axes(pen);
    pen.save();
    pen.beginPath();
    pen.rect(MARGIN.left, 0, this.width - MARGIN.left - MARGIN.right, this.height - MARGIN.bottom);
    pen.clip();
    for (const curve of this.curves) if (curve.on) this.line(pen, curve);
    pen.fillStyle = pen.strokeStyle = css("--soft");
    if (band) { pen.globalAlpha = 0.2; pen.fillRect(band[0], 0, band[1] - band[0], this.height); pen.globalAlpha = 1; }
    if (cursor !== null) { pen.beginPath(); pen.moveTo(this.x(cursor), 0); pen.lineTo(this.x(cursor), this.height); pen.lineWidth = 0.6; pen.stroke(); }
    pen.restore();
  }

  ticks() {
    const named = this.panel.ticks;
    if (named && named.length) return [[0, 1], named];
    const found = ticks(this.low, this.high, this.height / 45);
    const values = named ? found.filter(Number.isInteger) : found;
    return [values, labels(values)];
  }

  axes(pen) {
    const bottom = this.height - MARGIN.bottom;
    pen.font = "12px system-ui, sans-serif";
    pen.lineWidth = 1;
    pen.strokeStyle = css("--grid");
    pen.fillStyle = css("--soft");
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const [values, words] = this.ticks();
    values.forEach((v, k) => {
      const y = Math.round(this.y(v)) + 0.5;
      pen.beginPath(); pen.moveTo(MARGIN.left, y); pen.lineTo(this.width - MARGIN.right, y); pen.stroke();
      pen.fillText(words[k], MARGIN.left - 6, y);
    });
    pen.textAlign = "center";
    pen.textBaseline = "top";
    const [scale, unit] = data.scale;
    for (const t of ticks(span[0] / scale, span[1] / scale, this.width / 110)) {
      const x = Math.round(this.x(t * scale)) + 0.5;
      pen.beginPath(); pen.moveTo(x, MARGIN.top); pen.lineTo(x, bottom); pen.stroke();
      const words = short(t) + " " + unit;
      pen.fillText(words, Math.min(x, this.width - pen.measureText(words).width / 2 - 1), bottom + 6);
    }
  }

  line(pen, curve) {
    const first = Math.max(0, after(curve.t, span[0]) - 1), last = Math.min(curve.t.length, after(curve.t, span[1]) + 1);
    pen.beginPath();
    let down = false, previous = 0;
    for (let k = first; k < last; k++) {
      const v = curve.v[k];
      if (!Number.isFinite(v)) { down = false; continue; }
      const x = this.x(curve.t[k]), y = this.y(v);
      if (!down) pen.moveTo(x, y);
      else { if (curve.held) pen.lineTo(x, previous); pen.lineTo(x, y); }
      [down, previous] = [true, y];
    }
    pen.strokeStyle = curve.colour;
    pen.lineWidth = 1.5;
    pen.lineJoin = "round";
    pen.stroke();
  }

  tell(event) {
    const t = this.time(event.offsetX);
    this.tip.replaceChildren();
    const head = document.createElement("b");
    head.textContent = "t = " + short(t / data.scale[0]) + " " + data.scale[1];
    this.tip.append(head);
    for (const curve of this.curves.filter((c) => c.on).slice(0, 12)) {
      const row = document.createElement("div");
      row.textContent = curve.name + ": " + short(valueAt(curve, t));
      row.style.color = curve.colour;
      this.tip.append(row);
    }
    this.tip.style.display = "block";
    const right = event.offsetX > this.width / 2;
    this.tip.style.left = right ? "" : event.offsetX + 14 + "px";
    this.tip.style.right = right ? this.width - event.offsetX + 14 + "px" : "";
    this.tip.style.top = "8px";
  }
}

function valueAt(curve, t) {
  const k = Math.max(1, after(curve.t, t)), a = k - 1, b = Math.min(k, curve.t.length - 1);
  if (curve.held || a === b || curve.t[b] === curve.t[a]) return curve.v[a];
  return curve.v[a] + (curve.v[b] - curve.v[a]) * (t - curve.t[a]) / (curve.t[b] - curve.t[a]);
}

function css(name) { return getComputedStyle(root).getPropertyValue(name).trim(); }

function zoom(to) {
  if (to[1] > to[0]) span = to;
  root.dataset.from = span[0];
  root.dataset.to = span[1];
  for (const chart of charts) chart.draw();
}

/* ---- the page --------------------------------------------------------------------------------------------- */

function dress(dark) {
  root.classList.toggle("dark", dark);
  for (const chart of charts) chart.draw();
}

const wish = window.matchMedia("(prefers-color-scheme: dark)");
dress(wish.matches);
const shared = decode(data.shared, Float64Array);
for (const place of document.querySelectorAll(".panel")) charts.push(new Chart(data.panels[place.dataset.panel], place));
for (const button of document.querySelectorAll(".reset")) button.onclick = () => zoom([data.time[0], data.time[1]]);
for (const field of document.querySelectorAll(".find")) {
  field.oninput = () => {
    for (const chart of charts) {
      chart.buttons.forEach((button, k) => { button.hidden = !chart.curves[k].name.toLowerCase().includes(field.value.toLowerCase()); });
      for (const button of chart.buttons) button.style.display = button.hidden ? "none" : "";
    }
  };
}
for (const picture of document.querySelectorAll(".picture")) picture.onclick = () => picture.classList.toggle("whole");
wish.onchange = () => dress(wish.matches);
document.getElementById("theme").onclick = () => dress(!root.classList.contains("dark"));
zoom(span);

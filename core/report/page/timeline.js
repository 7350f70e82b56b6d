/*
 * The device over time. What a source brings (its picture, see config/report.schema.json) is unpacked once; drawing walks
 * only what lies in the window. Times are ns since the first device event, exact up to 2^53.
 */
const KINDS = ["other", "copy", "communication", "compute"];
const unpack = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
function unpackBins(text, bins) {
	const out = new Uint8Array(bins), packed = unpack(text || "");
	for (let i = 0, at = 0; i < packed.length; i++) {
		if (packed[i]) out[at++] = packed[i];
		else at += 1 + packed[++i];
	}
	return out;
}
/* Events by their starts, each in the first row where it fits: rows beyond the first are what runs at the same time. */
function unpackEvents(lane, e) {
	const packed = unpack(e.data), n = lane.n = e.count, ends = [];
	for (const k of ["s", "e", "top"]) lane[k] = new Float64Array(n);
	lane.name = new Int32Array(n);
	for (const k of ["kind", "row"]) lane[k] = new Uint8Array(n);
	let at = 0, start = e.from, reached = -Infinity;
	function number() {
		let v = 0, factor = 1, b;
		do { b = packed[at++]; v += (b & 127) * factor; factor *= 128; } while (b & 128);
		return v;
	}
	for (let i = 0, k; i < n; i++) {
		lane.s[i] = start += number();
		const end = lane.e[i] = start + number(), both = number();
		for (k = 0; k < 5 && ends[k] > start; k++);
		lane.name[i] = floor(both / 4);
		lane.kind[i] = both & 3;
		lane.row[i] = k;
		ends[k] = max(ends[k] || end, end);
		lane.top[i] = reached = max(reached, end);
	}
	lane.rows = ends.length;
	return lane;
}
function modelOf(n) {
	const s = all[n], P = s.picture;
	if (!P || !P.tracks.length) return null;
	if (s.model) return s.model;
	addNames(P.names);
	const many = new Set(P.tracks.map(t => t.device)).size > 1;
	return s.model = {P, span: max(1, P.span_ns), lanes: P.tracks.map(t => {
		const lane = {t, n: 0, rows: 1, marks: [], title: t.stream === null ? t.name : wordOf(n) + " " + t.stream, sub: many || t.device === null ? "pid " + t.pid : "device " + t.device, cover: KINDS.map(k => unpackBins(t[k], P.bins))};
		const e = P.events.find(x => x.track === t.track);
		return e ? unpackEvents(lane, e) : lane;
	}), extra: P.lanes.map(l => unpackEvents({what: l.what, marks: [], title: l.what + (l.what === "launch" ? "es" : "s"), sub: l.tid === null ? "pid " + l.pid : "thread " + l.tid}, l))};
}
function firstAt(lane, t) { /* the first event that may reach beyond t */
	let a = 0, b = lane.n;
	while (a < b) { const m = (a + b) >> 1; if (lane.top[m] < t) a = m + 1; else b = m; }
	return a;
}
let ink = {}; /* colours of the theme */
function readColours() {
	const style = getComputedStyle(root);
	ink = {};
	for (const k of ["card", "ink", "dim", "line", "fill", "bad", "sans", "mono"].concat(KINDS, KINDS.map(k => "on-" + k))) ink[k] = style.getPropertyValue("--" + k).trim();
}
function hatch(g) {
	if (ink.hatch) return ink.hatch;
	const c = h("canvas"), x = c.getContext("2d");
	c.width = c.height = 8;
	x.strokeStyle = ink.bad;
	x.lineWidth = 2;
	for (const o of [-8, 0, 8]) { x.moveTo(o, 8); x.lineTo(o + 8, 0); }
	x.stroke();
	return ink.hatch = g.createPattern(c, "repeat");
}
function fit(canvas, height) { /* sharp on every screen */
	const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, w = round(width * ratio), tall = round(height * ratio), g = canvas.getContext("2d");
	canvas.style.height = height + "px";
	if (canvas.width !== w || canvas.height !== tall) { canvas.width = w; canvas.height = tall; }
	g.setTransform(ratio, 0, 0, ratio, 0, 0);
	g.clearRect(0, 0, width, height);
	g.textBaseline = "middle";
	return g;
}
const block = (g, colour, ...at) => { g.fillStyle = colour; g.fillRect(...at); };
const font = (g, size, family, colour) => { g.font = size + " " + ink[family]; g.fillStyle = ink[colour]; };
function box(g, x, y, w, tall, r) {
	g.beginPath();
	if (g.roundRect && w > 3) g.roundRect(x, y, w, tall, min(r, w / 2)); else g.rect(x, y, w, tall);
}
/* Text cut to a width, for letters of about the width given: measuring would be slow. */
function put(g, text, x, y, width, letter) {
	const fits = floor(width / letter);
	if (fits > 1) g.fillText(text.length <= fits ? text : text.slice(0, fits - 1) + "\u2026", x, y, width);
}
/* Columns of shares, stacked by kind: share(kind, from, to) of 0..1 for pixels from..to, next(from) the end of a column. */
function columns(g, w, x, y, tall, least, share, next) {
	const paths = KINDS.map(() => new Path2D());
	for (let a = 0, b; a < w; a = b) {
		b = min(w, next(a));
		for (let k = 3, up = 0; k >= 0; k--) {
			const v = share(k, a, b), q = v ? min(tall - up, max(least, v * tall)) : 0;
			if (q > 0) paths[k].rect(x + a, y + tall - up - q, b - a, q);
			up += q;
		}
	}
	paths.forEach((path, k) => { g.fillStyle = ink[KINDS[k]]; g.fill(path); });
}
/* Bins first..last over w pixels. */
function strip(g, cover, first, last, w, x, y, tall) {
	const each = (last - first) / w, n = cover[0].length;
	columns(g, w, x, y, tall, 1, (k, a, b) => {
		const i = max(0, floor(first + a * each)), to = min(n, max(i + 1, floor(first + b * each)));
		let sum = 0;
		for (let j = i; j < to; j++) sum += cover[k][j];
		return sum / max(1, to - i) / 255;
	}, a => each >= 1 ? a + 1 : max(a + 1, ceil((floor(first + a * each) + 1 - first) / each)));
}
function busiest(M) { /* at each place, the lane that is busiest there */
	return M.busiest = M.busiest || KINDS.map((_, k) => Uint8Array.from({length: M.P.bins}, (_, i) => {
		const sums = M.lanes.map(l => l.cover.reduce((a, c) => a + c[i], 0));
		return M.lanes[sums.indexOf(max(...sums))].cover[k][i];
	}));
}
let painted = []; /* canvases to be painted anew when theme or width change */
function repaint() { readColours(); painted = painted.filter(c => c.isConnected); painted.forEach(c => c.paint()); }
function miniature(n, height) { /* a small picture of a source, for cards and rows */
	const M = modelOf(n);
	if (!M) return null;
	const c = hide(h("canvas", "mini"));
	c.paint = () => { const w = c.clientWidth, g = fit(c, height); block(g, ink.fill, 0, 0, w, height); if (w) strip(g, busiest(M), 0, M.P.bins, w, 0, 0, height); };
	painted.push(c);
	return c;
}
function exactStart(s, rel) {
	const text = String(s.exact + BigInt(round(rel))).padStart(4, "0");
	return text.slice(0, -3) + "." + text.slice(-3) + " us";
}

function Timeline(n, findings, act) {
	const M = modelOf(n), P = M.P, s = all[n], shift = P.first_rel_ns || 0, lowest = -.01 * M.span, highest = 1.01 * M.span;
	const over = hide(h("canvas")), frame = h("div", "frame"), overview = h("div", "overview", over, frame), chosen = h("div"), where = soft(), how = soft();
	const canvas = set(h("canvas", "lanes"), {tabindex: 0, role: "application", "aria-label": "Timeline"}), tip = document.getElementById("tip");
	let t0 = lowest, t1 = highest, current = null, picked = null, tallest = 0, waiting = 0, layout = [], lanes = M.lanes, saying = 0, gutter = 120, W = 1, letter = 6.6;
	const at = t => signed(round(t) + shift), X = t => gutter + (t - t0) / (t1 - t0) * W, known = P.whole ? () => true : () => P.windows.some(w => w[0] <= t0 && t1 <= w[1]);
	M.lanes.forEach(l => { l.marks = []; });
	findings.forEach(f => { /* where its events lie */
		f.spots = f.events.filter(e => e.source === n && e.start_rel_ns !== null && P.first_rel_ns !== null).map(e => {
			const from = e.start_rel_ns - shift, fits = M.lanes.filter(l => l.t.stream === e.stream && l.t.device === e.device);
			return {s: from, e: from + e.duration_ns, lane: fits.find(l => l.t.pid === e.pid) || fits[0]};
		});
		f.from = min(...f.spots.map(x => x.s));
		f.to = max(...f.spots.map(x => x.e));
		const [a, b] = f.spots;
		f.shared = f.isOverlap && b && a.lane && a.lane === b.lane ? [max(a.s, b.s), min(a.e, b.e)] : null;
		if (f.shared) a.lane.marks.push(f);
	});
	function paintOverview() {
		const few = M.lanes.length <= 3, list = few ? M.lanes.map(l => l.cover) : [busiest(M)], tall = list.length * 20, g = fit(over, tall + 10);
		list.forEach((cover, i) => {
			font(g, "11.5px", "sans", "dim");
			if (gutter) put(g, vis(few ? M.lanes[i].title : "busiest " + wordOf(n)), 0, i * 20 + 9, gutter - 8, 6.4);
			block(g, ink.fill, gutter, i * 20, W, 17);
			strip(g, cover, 0, M.span / P.bin_ns, W, gutter, i * 20, 17);
		});
		for (const f of findings) if (f.spots.length) block(g, ink.bad, gutter + f.from / M.span * W - .75, tall - 1, 1.5, 9);
	}
	function isIdle(l) {
		for (let i = max(0, floor(t0 / P.bin_ns)); i < min(P.bins, ceil(t1 / P.bin_ns)); i++) if (l.cover && l.cover.some(c => c[i])) return false;
		return l.cover;
	}
	function place() {
		gutter = canvas.clientWidth < 520 ? 0 : 120;
		W = max(1, canvas.clientWidth - gutter);
		const rows = lanes.reduce((a, l) => a + l.rows, 0), tall = rows <= 3 ? 30 : rows <= 6 ? 25 : rows <= 12 ? 20 : 15, pad = rows <= 12 ? 7 : 3, above = gutter ? 0 : 15;
		const folded = lanes.length < 12 ? [] : lanes.filter(isIdle);
		let y = P.steps && P.steps.length ? 40 : 24;
		layout = lanes.filter(l => !folded.includes(l)).map(lane => {
			const L = {lane, y, tall, top: y + above + pad, pad, h: above + lane.rows * tall + 2 * pad};
			y += L.h;
			return L;
		});
		if (folded.length) layout.push({folded: folded.length, y, h: 24});
		return tallest = max(tallest, y + (folded.length ? 44 : 20)); /* never lower while one looks: what is below stays */
	}
	function axis(g, height) {
		let step = 10 ** floor(Math.log10(max(1, (t1 - t0) / W * 105)));
		step *= [1, 2, 5, 10].find(m => m * step * W >= (t1 - t0) * 95);
		const first = ceil((t0 + shift) / step), last = floor((t1 + shift) / step), deep = max(abs(first), abs(last)) > 1e5, from = deep ? first * step : 0, most = deep ? step * 9 : max(abs(first), abs(last)) * step, [unit, name] = UNITS.find(u => most >= u[0]) || UNITS[3];
		font(g, "11px", "sans", "dim");
		g.strokeStyle = ink.line;
		for (let i = first; i <= last; i++) {
			const x = round(X(i * step - shift)) + .5, v = (i * step - from) / unit, digits = max(0, ceil(Math.log10(unit / step) - 1e-9));
			g.beginPath();
			g.moveTo(x, 18);
			g.lineTo(x, height - 18);
			g.stroke();
			/* Deep in a long trace the begin is said once, and the ticks count from there. */
			if (x + 56 < gutter + W) g.fillText(deep && i === first ? signed(from) : (v < 0 ? "\u2212" : "+") + abs(v).toFixed(digits) + " " + name, x + 4, 9);
		}
		if (P.steps) P.steps.forEach((q, i) => {
			const a = max(gutter, X(q.from)), b = min(gutter + W, X(q.to)) - 1;
			if (b - a < 1) return;
			block(g, ink[i % 2 ? "line" : "fill"], a, 20, b - a, 16);
			font(g, "11px", "sans", "dim");
			put(g, vis(q.name), a + 4, 28.5, b - a - 6, 6);
		});
	}
	/* Where an event is narrower than two pixels, columns stand for all of them: their height is the covered share. */
	function drawEvents(g, L, words) {
		const l = L.lane, k = W / (t1 - t0), tall = L.tall - 3, narrow = [], pale = current && !picked;
		const spots = current ? current.spots.filter(x => x.lane === l) : [];
		for (let i = firstAt(l, t0); i < l.n && l.s[i] < t1; i++) {
			if (l.e[i] < t0) continue;
			const a = (l.s[i] - t0) * k, b = (l.e[i] - t0) * k, y = L.top + l.row[i] * L.tall, kind = KINDS[l.kind[i]];
			if (b - a < 2.2) {
				const c = narrow[l.row[i]] = narrow[l.row[i]] || KINDS.map(() => new Float32Array(W + 4)), p = max(0, floor(a)), rest = max(0, b - p - 1);
				c[l.kind[i]][p] += max(1e-6, b - a - rest);
				c[l.kind[i]][p + 1] += rest;
				continue;
			}
			const isOne = spots.some(x => x.s === l.s[i] && x.e === l.e[i]) || picked && picked.lane === l && picked.i === i;
			const x0 = max(a, -4), x1 = min(b, W + 4), from = max(x0, 0), wide = min(x1, W) - from;
			g.fillStyle = ink[kind];
			g.globalAlpha = pale && !isOne ? .5 : 1;
			box(g, gutter + x0, y, x1 - x0 - (b - a > 6 ? .7 : 0), tall, 3);
			g.fill();
			g.globalAlpha = 1;
			if (isOne) { g.strokeStyle = ink.ink; g.lineWidth = 2; g.stroke(); g.lineWidth = 1; }
			if (wide > 30 && tall > 9) words.push([pale && !isOne ? "ink" : "on-" + kind, short(P.names[l.name[i]]), gutter + from + 5, y + tall / 2 + .5, wide - 9]);
		}
		narrow.forEach((c, row) => columns(g, W, gutter, L.top + row * L.tall, tall, .16 * tall, (k, a) => min(1, c[k][a]), a => a + 1));
		return !narrow.length;
	}
	function drawMarks(g, L) {
		for (const q of L.lane.marks) {
			if (q.shared[1] < t0 || q.shared[0] > t1) continue;
			const x = X(q.shared[0]), wide = max(1.5, X(q.shared[1]) - x), isOne = q === current, at = [x, L.y + 2, wide, L.h - 4];
			g.globalAlpha = isOne ? .16 : .08;
			block(g, ink.bad, ...at);
			g.globalAlpha = isOne ? .8 : .35;
			if (wide > 3) block(g, hatch(g), ...at);
			g.globalAlpha = 1;
			g.strokeStyle = ink.bad;
			if (isOne) g.strokeRect(...at);
		}
	}
	function drawLane(g, L) {
		const l = L.lane, words = [], isTall = L.h > 32, isKnown = known() || !l.cover;
		font(g, "600 12px", "sans", "ink");
		if (gutter) put(g, vis(l.title), 0, L.y + L.h / 2 - (isTall ? 7 : 0), gutter - 10, 7);
		else put(g, vis(l.title + ", " + l.sub), 0, L.y + 9, W, 7);
		font(g, "11px", "sans", "dim");
		if (gutter && isTall) put(g, vis(l.sub), 0, L.y + L.h / 2 + 8, gutter - 10, 6.2);
		g.save();
		g.beginPath();
		g.rect(gutter, L.y, W, L.h);
		g.clip();
		if (!isKnown) {
			strip(g, l.cover, t0 / P.bin_ns, t1 / P.bin_ns, W, gutter, L.top, L.tall * l.rows - 3);
			g.setLineDash([4, 3]);
			g.strokeStyle = ink.dim;
			for (const [a, b] of P.windows) if (b > t0 && a < t1 && X(b) - X(a) > 3) {
				block(g, ink.card, X(a), L.y + 1, X(b) - X(a), L.h - 2);
				g.strokeRect(X(a), L.y + 2, X(b) - X(a), L.h - 4);
			}
			g.setLineDash([]);
		}
		const isFine = !l.n || drawEvents(g, L, words);
		drawMarks(g, L);
		for (const [colour, text, x, y, wide] of words) { font(g, "11px", "mono", colour); put(g, text, x, y, wide, letter); }
		g.restore();
		return isFine;
	}
	function draw() {
		waiting = 0;
		const height = place(), g = fit(canvas, height), isKnown = known();
		let isFine = true;
		axis(g, height);
		font(g, "11px", "mono", "dim");
		letter = g.measureText("0").width;
		for (const L of layout) {
			block(g, ink.line, 0, L.y + L.h, gutter + W, 1);
			if (L.folded) { font(g, "12px", "sans", "dim"); g.fillText(plural(L.folded, "idle " + wordOf(n)) + " in this window", 0, L.y + 12); }
			else isFine = drawLane(g, L) && isFine;
		}
		/* The length of the shared time, below its lane. */
		const q = current && current.shared, L = q && layout.find(x => x.lane === current.spots[0].lane);
		if (L && q[1] >= t0 && q[0] <= t1) {
			const text = time(q[1] - q[0]) + " used twice";
			font(g, "600 11px", "sans", "bad");
			const wide = g.measureText(text).width + 16, x = min(max(X((q[0] + q[1]) / 2) - wide / 2, gutter), gutter + W - wide);
			box(g, x, L.y + L.h - 5, wide, 18, 9);
			g.fill();
			g.fillStyle = ink.card;
			g.fillText(text, x + 8, L.y + L.h + 4.5);
		}
		const a = max(0, t0) / M.span, b = min(M.span, t1) / M.span, pixel = (t1 - t0) / W;
		frame.style.left = gutter + a * W + "px";
		frame.style.width = max(4, (b - a) * W) + "px";
		where.textContent = at(t0) + " \u2026 " + at(t1) + " (" + time(round(t1 - t0)) + ")";
		how.textContent = "1 pixel = " + time(pixel < 10 ? Number(pixel.toPrecision(2)) : round(pixel)) + ", " + (!isKnown ? "busy share of " + time(P.bin_ns) + (P.windows.length ? "; single events near findings (dashed frames)" : "") : isFine ? "every event drawn" : "columns: busy share of narrow events");
		clearTimeout(saying);
		saying = setTimeout(() => {
			const said = where.textContent + ". " + how.textContent;
			named(canvas, plural(M.lanes.length, wordOf(n)) + " of the device, " + said);
			if (document.activeElement === canvas) say(said);
			act.save();
		}, 300);
	}
	const ask = () => { waiting = waiting || requestAnimationFrame(draw); };
	function view(a, b) {
		const wide = max(min(40, M.span), min(highest - lowest, b - a));
		t0 = max(lowest, min(highest - wide, (a + b - wide) / 2));
		t1 = t0 + wide;
		ask();
	}
	const zoom = (factor, t = (t0 + t1) / 2) => view(t - (t - t0) * factor, t + (t1 - t) * factor), move = part => view(t0 + (t1 - t0) * part, t1 + (t1 - t0) * part), toWhole = () => view(lowest, highest);
	const timeAt = x => t0 + (x - gutter) / W * (t1 - t0);
	function hit(ev) {
		const L = layout.find(o => o.lane && ev.offsetY >= o.y && ev.offsetY < o.y + o.h), t = timeAt(ev.offsetX), near = (t1 - t0) / W * 2;
		if (!L || ev.offsetX < gutter) return null;
		const l = L.lane, row = floor((ev.offsetY - L.top) / L.tall);
		let best = null, far = near;
		for (let i = firstAt(l, t - near); i < l.n && l.s[i] <= t + near; i++) {
			const d = max(l.s[i] - t, t - l.e[i], 0);
			if (l.row[i] === row && d <= far) { far = d; best = {lane: l, i}; }
		}
		return best;
	}
	const kindOf = e => e.lane.what || KINDS[e.lane.kind[e.i]];
	function hint(ev, e) {
		tip.hidden = !e;
		canvas.style.cursor = e ? "pointer" : "";
		if (!e) return;
		tip.replaceChildren(h("b", "", short(P.names[e.lane.name[e.i]])), kindOf(e) + ", " + vis(e.lane.title), h("br"), at(e.lane.s[e.i]) + ", lasts " + time(e.lane.e[e.i] - e.lane.s[e.i]));
		tip.style.left = max(4, min(ev.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
		tip.style.top = (ev.clientY + 18 + tip.offsetHeight > innerHeight ? ev.clientY - tip.offsetHeight - 10 : ev.clientY + 18) + "px";
	}
	function pick(e) { /* the facts of one event */
		picked = e;
		chosen.replaceChildren();
		ask();
		if (!e) return;
		const l = e.lane, i = e.i, name = P.names[l.name[i]], from = l.s[i], to = l.e[i], same = findings.find(f => f.spots.some(x => x.lane === l && x.s === from && x.e === to)), before = i && P.whole ? from - l.top[i - 1] : null;
		const card = h("div", "event", h("div", "row", soft("chosen event, " + kindOf(e)), grow(), button("close", () => { pick(null); canvas.focus(); })), p("mono", name), facts([["start", at(from)], ["lasts", time(to - from)], ["on", l.title + ", " + l.sub], ["exact length", count(to - from) + " ns"], P.first_rel_ns !== null && ["exact start", exactStart(s, from + shift)],
			before !== null && (before < 0 ? ["starts", time(-before) + " before the one before it ends"] : ["idle before", time(before)]), same && ["part of", button(same.title, () => act.pick(same), "plain")]]));
		card.style.borderLeftColor = ink[KINDS[l.kind[i]]];
		chosen.append(card);
		say(short(name) + ", " + at(from) + ", lasts " + time(to - from));
		if (to < t0 || from > t1) view(from - (t1 - t0) / 2, from + (t1 - t0) / 2);
	}
	function step(by) { /* to the next event of the lane, in time */
		const l = picked ? picked.lane : lanes.find(x => x.n && !isIdle(x)), i = picked ? picked.i + by : l && firstAt(l, t0);
		if (l && i >= 0 && i < l.n) pick({lane: l, i});
	}

	/* The hands: wheel, drag, two fingers, keys. A wheel that began to scroll the page goes on doing so. */
	let scrolled = 0, grip = null, hold = null;
		canvas.addEventListener("wheel", ev => {
		const isWide = abs(ev.deltaX) > abs(ev.deltaY), isAll = t1 - t0 >= (highest - lowest) * .999;
		if (!ev.ctrlKey && performance.now() - scrolled < 350) { scrolled = performance.now(); return; }
		if (isAll && ev.deltaY > 0 && !isWide) return;
		ev.preventDefault();
		if (isWide) move(ev.deltaX / W);
		else zoom(Math.exp(max(-60, min(60, ev.deltaY * (ev.deltaMode ? 20 : 1))) * .006), timeAt(ev.offsetX));
	}, {passive: false});
	const fingers = new Map();
	function hands() { const x = [...fingers.values()]; return {x: x.reduce((a, b) => a + b, 0) / x.length, wide: x.length > 1 ? max(8, abs(x[0] - x[1])) : 8}; }
	const regrip = () => { grip = fingers.size ? Object.assign(hands(), {t0, t1, moved: grip ? grip.moved : 0}) : null; };
	canvas.onpointerdown = ev => { if (ev.button) return; fingers.set(ev.pointerId, ev.clientX); canvas.setPointerCapture(ev.pointerId); regrip(); };
	canvas.onpointermove = ev => {
		if (!fingers.has(ev.pointerId)) return hint(ev, hit(ev));
		fingers.set(ev.pointerId, ev.clientX);
		const now = hands(), left = rect(canvas).left + gutter, old = grip.t1 - grip.t0, wide = old * grip.wide / now.wide, a = grip.t0 + (grip.x - left) / W * old - (now.x - left) / W * wide;
		grip.moved = max(grip.moved, abs(now.x - grip.x), abs(now.wide - grip.wide));
		hint();
		if (grip.moved > 3) view(a, a + wide);
	};
	canvas.onpointerup = canvas.onpointercancel = ev => {
		if (grip && grip.moved <= 3 && ev.type === "pointerup") pick(hit(ev));
		fingers.delete(ev.pointerId);
		regrip();
	};
	canvas.onpointerleave = () => hint();
	canvas.ondblclick = toWhole;
	const overAt = ev => (ev.clientX - rect(over).left - gutter) / W * M.span;
	overview.onpointerdown = ev => {
		const t = overAt(ev), mid = (t0 + t1) / 2;
		hold = t > t0 && t < t1 && t1 - t0 < M.span ? t - mid : 0;
		overview.setPointerCapture(ev.pointerId);
		overview.onpointermove(ev);
	};
	overview.onpointermove = ev => { if (hold !== null) { const t = overAt(ev) - hold, half = (t1 - t0) / 2; view(t - half, t + half); } };
	overview.onpointerup = overview.onpointercancel = () => { hold = null; };
	const keys = {a: () => move(-.2), d: () => move(.2), w: () => zoom(.7), s: () => zoom(1.4), "+": () => zoom(.7), "=": () => zoom(.7), "-": () => zoom(1.4), 0: toWhole, ",": () => step(-1), ".": () => step(1), Escape: () => pick(null)};
	const arrows = {ArrowLeft: "a", ArrowRight: "d", ArrowUp: "w", ArrowDown: "s", Home: 0};
	const extra = M.extra.length && set(button("Launches and annotations", () => {
		lanes = lanes === M.lanes ? M.lanes.concat(M.extra) : M.lanes;
		set(extra, {"aria-pressed": lanes !== M.lanes});
		tallest = 0;
		ask();
	}), {"aria-pressed": false});
	const kinds = KINDS.slice(1).reverse().filter(k => P.tracks.some(t => t[k + "_ns"])).map(k => ["k-" + k, k === "copy" ? "copies" : k]);
	if (M.lanes.some(l => l.marks.length)) kinds.push(["hatch", "used twice at once"]);
	const out = section("Timeline of the device", null, overview, canvas, h("div", "tools", named(button("\u2212", () => zoom(1.7)), "zoom out"), named(button("+", () => zoom(.6)), "zoom in"), button("Whole trace", toWhole), findings.length && [button("\u25c0 finding", () => act.next(-1)), button("finding \u25b6", () => act.next(1))], extra, where, grow(), how), chosen,
		h("details", "small", h("summary", "", "The same as a table"), table("Work of each " + wordOf(n), cols("name events compute_ns communication_ns copy_ns twice_ns=used_twice", n), P.tracks)), P.cut.map(c => p("soft small", c.why)));
	out.firstChild.append(legend(kinds), grow(), h("span", "soft small no-phone", "wheel zooms, drag moves, click tells more; keys: w a s d, n p findings, . , events, 0 all, / filter"));
	over.paint = () => { tallest = 0; place(); paintOverview(); draw(); };
	painted.push(over);
	return Object.assign(out, {view, wheel: ev => { if (ev.target !== canvas) scrolled = performance.now(); }, span: () => t1 - t0 < highest - lowest ? round(t0) + "~" + round(t1) : "",
		key(ev) {
			const act = keys[ev.key] || ev.target === canvas && keys[arrows[ev.key]];
			if (act) act();
			return act;
		},
		show(f) { /* a finding: its events, and as much around them */
			const pad = max((f.to - f.from) * .45, 60);
			current = f;
			pick(null);
			if (f.spots.length) view(f.from - pad, f.to + pad);
		}});
}

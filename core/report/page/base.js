/* The data, and how words, numbers and names are shown. All text of a trace reaches the page by textContent alone. */
const raw = document.getElementById("data").textContent, D = JSON.parse(raw), R = D.report;
const page = document.getElementById("page"), plain = page.firstElementChild, root = document.documentElement;
const sources = R.sources, all = sources.concat(R.baselines);
const {abs, ceil, floor, max, min, round} = Math;
/* A double does not hold times since 1970 in ns: of each source the first one is taken exactly, the others count from it. */
const exact = raw.match(/\x22first_ns\x22:\s*-?\d+/g);
all.filter(s => s.facts).forEach((s, i) => { s.exact = BigInt(exact[i].slice(11)); });

/* What could pose as something else, or cannot be seen, is shown as what it is. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff]|\udb40[\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const vis = text => String(text).replace(UNSEEN, c => c.split("").map(x => "\\u" + x.charCodeAt(0).toString(16).padStart(4, "0")).join(""));
/* An element with a class and children; texts become text nodes, what is nothing is left out. */
function h(tag, cls, ...inside) {
	const e = document.createElement(tag);
	if (cls) e.className = cls;
	for (const x of some(inside)) e.append(x instanceof Node ? x : vis(x));
	return e;
}
const some = (...list) => list.flat(9).filter(Boolean), rect = e => e.getBoundingClientRect();
function set(e, attributes) {
	for (const k in attributes) e.setAttribute(k, vis(attributes[k]));
	return e;
}
const hide = e => set(e, {"aria-hidden": "true"}), named = (e, text) => set(e, {"aria-label": text});
function button(text, act, cls) {
	const b = set(h("button", cls || "btn", text), {type: "button"});
	b.onclick = act;
	return b;
}
const grow = () => h("span", "grow"), soft = (...x) => h("span", "soft small", x), p = (cls, ...x) => h("p", cls, x);
const word = (w, cls) => h("span", "word " + (cls || w), w);
const count = n => n.toLocaleString("en-US"), plural = (n, one) => count(n) + " " + one + (n === 1 ? "" : "s");
const four = v => Number(v.toPrecision(4)).toLocaleString("en-US", {maximumFractionDigits: 6});
const percent = v => (abs(v) >= 10 || !v ? v.toFixed(1) : abs(v) >= .1 ? v.toFixed(2) : Number(v.toPrecision(1))) + " %";
const part = (x, all) => percent(100 * x / max(1, all));
function scaled(v, units) {
	for (const [from, unit] of units) if (abs(v) >= from * .99995 || from === 1) return four(v / from) + " " + unit;
}
const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]], time = ns => scaled(ns, UNITS);
const signed = ns => (ns < 0 ? "\u2212" : "+") + time(abs(ns));
function value(v, unit) {
	if (v === null || v === undefined) return "-";
	if (typeof v === "object") return v.begins ? v.begins + "\u2026" : v.name ? value(v.name) : "event at byte " + count(v.offset);
	if (typeof v !== "number") return String(v);
	return unit === "ns" ? time(v) : unit === "ratio" ? percent(v * 100) : unit === "percent" ? percent(v) : unit === "bytes" ? scaled(v, [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]]) : Number.isInteger(v) ? count(v) : four(v);
}
const label = s => s.replace(/_(ns|pct)$/, "").replace(/_/g, " "), base = path => path.split("/").pop() || path;
/* A text as a whole: one that is long stands once, in the texts of its source. */
const whole = (v, n) => v && v.begins ? (n < 0 ? R : all[n]).texts[v.text] : v ? String(v) : "";
const middle = (s, most) => s.length <= most ? s : s.slice(0, ceil(most * .6)) + "\u2026" + s.slice(1 - floor(most * .4));

/* Names are shortened only as far as they stay distinct on the page. */
function brief(name) {
	const s = name.replace(/^void\s|^\/.*\/|\(anonymous namespace\)::|at::native::/g, "");
	let out = "", depth = 0;
	for (let i = 0; i < s.length; i++) {
		const c = s[i];
		if (c === "<" && /[\w>]/.test(s[i - 1] || "") && s.indexOf(">", i) > 0) { if (!depth++) out += "<\u2026>"; }
		else if (c === ">" && depth) depth--;
		else if (!depth && c === "(" && i && /[\w>]/.test(s[i - 1]) && s.endsWith(")")) break;
		else if (!depth) out += c;
	}
	return middle(vis(out || s), 72);
}
const shorts = new Map();
function addNames(names) {
	const groups = new Map();
	for (const name of new Set(names)) if (!shorts.has(name)) {
		const s = brief(name);
		groups.set(s, (groups.get(s) || []).concat(name));
	}
	for (const [s, group] of groups) group.sort().forEach((name, i) => {
		const other = group[i ? i - 1 : 1];
		let at = 0, own = s;
		if (other !== undefined) {
			while (at < name.length && name[at] === other[at]) at++;
			while (at && /\w/.test(name[at - 1])) at--;
			own += " \u2026" + vis(middle(name.slice(at), 34));
			if (group.some(x => shorts.get(x) === own)) own += " (" + (i + 1) + ")";
		}
		shorts.set(name, own);
	});
}
function short(name) {
	if (!shorts.has(name)) addNames([name]);
	return shorts.get(name);
}
function nameCell(name, cls) {
	const e = h("div", "mono two-lines " + (cls || ""), short(name));
	e.title = vis(middle(name, 2000));
	return e;
}

/* What the stages told of a source; of the run as a whole: number -1. */
const toldOf = (stage, n) => n < 0 ? stage : stage.by_source.concat(stage.by_baseline).find(x => x.source === n);
function told(name, n) {
	const stage = R.stages.find(s => s.name === name);
	return stage && toldOf(stage, n);
}
const shown = new Set(); /* tables that have a place of their own */
function tableOf(name, id, n) {
	const t = told(name, n), found = t && t.tables.find(x => x.id === id && x.show !== "data");
	if (found) shown.add(found);
	return found && found.rows.length ? found : null;
}
const metric = (n, id) => { const t = told("overlap-verify", n); return t && t.metrics[id] !== undefined ? t.metrics[id] : null; };
const wordOf = n => all[n].facts && all[n].facts.track_word || "stream";
/* A bar of parts: share of the whole, class, words; the words stand for the bar where it cannot be seen. */
function bar(parts, cls) {
	const words = some(parts.map(x => x[2])).join(", "), e = h("div", "bar " + (cls || ""), parts.map(([share, kind]) => {
		const i = h("i", kind);
		i.style.width = max(0, min(100, share * 100)) + "%";
		return i;
	}));
	e.title = vis(words);
	return set(e, words ? {role: "img", "aria-label": words} : {"aria-hidden": "true"});
}
const voice = set(h("div", "away"), {role: "status"}), say = text => { voice.textContent = vis(text); }; /* aloud, for those who cannot see it */
const legend = items => h("div", "legend", items.map(([cls, text]) => h("span", "", h("i", cls), text)));
const facts = list => h("dl", "facts", list.filter(Boolean).map(([name, v]) => h("div", "", h("dt", "", name), h("dd", "", v))));
/* What is waived is shown, and does not count: by which waiver, in words. */
const waiver = i => i === null || i === undefined ? "" : "waived until " + R.waivers[i].until + ": " + R.waivers[i].reason;
/* A list of what was said, with how grave it is and what can be done. */
const sayings = items => items.length ? h("ul", "said", items.map(([w, text, remedy]) => h("li", "", w && [word(w), " "], p("", text), remedy && h("div", "soft small", remedy)))) : null;
let ids = 0;
function section(title, hint, ...inside) {
	const head = set(h("h2", "", title), {id: "h" + ids});
	return set(h("section", "card", h("div", "row", head, hint && soft(hint)), inside), {"aria-labelledby": "h" + ids++});
}

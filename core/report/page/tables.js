/*
 * Tables that sort and filter. Of columns: title, cell(row) as text or node, key(row) to sort by, tip(row), cls. A table of
 * more than a dozen rows has a filter; `group` names the kind of a row, and makes a choice of kinds where there are several.
 */
function table(title, columns, rows, o = {}) {
	const head = h("tr"), body = h("tbody"), scroll = h("div", "scroll " + (o.tall ? "tall" : ""), h("table", o.pick ? "picks" : "", h("caption", "away", title), h("thead", "", head), body));
	const MOST = o.most || 50, kinds = o.group ? [...new Set(rows.map(o.group))] : [];
	let order = rows, most = MOST, by = -1, down = false, needle = "", kind = "", marked = null;
	const more = button("", () => { most = Infinity; fill(); }, "btn gap"), lines = new Map(), hits = set(soft(), {role: "status"}), input = set(h("input"), {type: "search", placeholder: o.words || "Filter", "aria-label": "Filter: " + title}), select = named(h("select"), "Kind");
	columns = some(columns);
	columns.forEach((c, i) => {
		c.key = c.key || (r => { const x = c.cell(r); return x instanceof Node ? x.textContent : x; });
		c.num = rows.some(r => typeof c.key(r) === "number");
		head.append(set(h("th", c.num && !c.bar ? "n" : "", button(c.title, () => { down = by === i ? !down : c.num; by = i; sort(); }, "plain")), {scope: "col"}));
	});
	input.oninput = () => { needle = input.value.toLowerCase(); sort(); };
	select.onchange = () => { kind = select.value; sort(); };
	select.append(...["every kind"].concat(kinds).map((k, i) => set(h("option", "", k), {value: i ? k : ""})));
	function compare(a, b) {
		const none = x => x === null || x === undefined || x === "-" ? 1 : 0;
		if (none(a) || none(b)) return none(a) - none(b);
		const d = typeof a === "number" ? a - b : String(a).localeCompare(b, "en", {numeric: true});
		return down ? -d : d;
	}
	function sort() {
		order = rows.filter(r => (!kind || o.group(r) === kind) && (!needle || columns.map(c => c.key(r) + " " + (c.tip ? c.tip(r) : "")).join(" ").toLowerCase().includes(needle)));
		if (by >= 0) order.sort((a, b) => compare(columns[by].key(a), columns[by].key(b)));
		[...head.children].forEach((th, i) => set(th, {"aria-sort": i !== by ? "none" : down ? "descending" : "ascending"}));
		hits.textContent = needle || kind ? order.length + " match" : "";
		most = MOST;
		fill();
	}
	function line(r) {
		const tr = h("tr", "", columns.map((c, i) => {
			const x = c.cell(r), td = h("td", (c.num && !c.bar ? "n " : "") + (c.cls || ""), o.pick && !i ? button(x, null, "plain") : x);
			if (c.tip) td.title = vis(c.tip(r));
			return td;
		}));
		if (o.pick) tr.onclick = () => o.pick(r);
		lines.set(r, tr);
		return tr;
	}
	function fill() {
		body.replaceChildren(...order.slice(0, most).map(line));
		more.textContent = count(order.length - most) + " more rows";
		more.hidden = order.length <= most;
		if (marked) mark(marked);
		if (o.filled) o.filled();
	}
	function mark(r) { /* the table scrolls to it, the page stays */
		const was = body.querySelector("[aria-selected]"), at = order.indexOf(r);
		if (was) was.removeAttribute("aria-selected");
		marked = r;
		if (at >= most) { most = at + 1; return fill(); }
		if (at < 0) return;
		set(lines.get(r), {"aria-selected": "true"});
		const box = rect(scroll), own = rect(lines.get(r));
		scroll.scrollTop += own.top < box.top + 28 ? own.top - box.top - 28 : max(0, own.bottom - box.bottom);
	}
	fill();
	const out = h("div", "", rows.length > 12 && h("div", "filter", input, kinds.length > 1 && select, hits), scroll, more);
	return Object.assign(out, {mark, order: () => order, input});
}
/* A column by the name of its values, which says what they are unless the report does. */
const isName = name => /^(name|kernel|operator|line|partner|earlier|later|launch_op)$|_(event|partner)$/.test(name);
function col(name, title, n, unit) {
	unit = unit || (/_ns$/.test(name) ? "ns" : /share$|_pct$/.test(name) ? "percent" : "");
	return {title: title || label(name), cls: isName(name) || unit === "note" ? "long" : "",
		key: r => { const v = r[name]; return v && typeof v === "object" ? whole(v.begins ? v : v.name, n) : v; },
		cell: r => { const v = r[name]; return v && isName(name) ? nameCell(whole(v.begins || !v.name ? v : v.name, n)) : value(v, unit); },
		tip: r => { const v = r[name]; return unit === "ns" && v ? count(v) + " ns" : v && v.begins ? whole(v, n) : ""; }};
}
const cols = (names, n) => names.split(" ").map(x => { const [name, title] = x.split("="); return col(name, title && title.replace(/_/g, " "), n); });
const barCol = (title, cell, key) => ({title, cell, key: key || (() => 0), cls: "bars", bar: true});
/* A table of the report that this page knows nothing of. */
function plainTable(t, n) {
	let own = t.columns.filter(c => c.show === "key").concat(t.columns.filter(c => c.show !== "key" && c.show !== "detail"));
	if (own.every(c => c.show === "note")) own = t.columns;
	const rest = t.columns.filter(c => !own.includes(c) && t.rows.some(r => r[c.name] !== null));
	const make = list => table(t.title, list.map(c => col(c.name, "", n, c.show === "note" ? "note" : c.unit)), t.rows), first = make(own);
	const b = button(plural(rest.length, "more column"), () => { first.replaceWith(make(own.concat(rest))); b.remove(); }, "btn gap");
	return [h("h3", "", t.title), first, rest.length && b, t.omitted && p("soft small", count(t.omitted) + " more rows were left out of the report")];
}

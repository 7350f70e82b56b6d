/* Findings: a table, and the facts of the one that is chosen. */
function findingsOf(n) { /* every kept instance of every stage, in the order of the report */
	const list = R.stages.flatMap(stage => (toldOf(stage, n) || {findings: []}).findings.flatMap(f => f.instances.map((x, i) => ({
		stage, f, i, waived: f.waived ? waiver(f.waived.instances_by[i] ?? f.waived.rest_by) : "", events: x.events, measures: x.measures, place: stage.id + "/" + f.id + "/" + (i + 1), title: f.id + " " + (i + 1),
		isOverlap: stage.name === "overlap-verify" && x.events.length === 2 && x.events.every(e => e.start_rel_ns !== null), names: x.events.map(e => whole(e.name, e.source) || "(no name)")}))));
	addNames(list.flatMap(f => f.names));
	return list;
}
const quoted = path => /^[\w.,:=+@%\/-]+$/.test(path) ? path : "'" + path.replace(/'/g, "'\\''") + "'";
function eventCard(f, i, role, n) {
	const e = f.events[i], s = all[e.source];
	return h("div", "event", soft(role), p("mono", f.names[i]), facts([["start", e.start_rel_ns === null ? "not known" : signed(e.start_rel_ns)], ["lasts", e.duration_ns === null ? "not known" : time(e.duration_ns)], ["pid, tid", value(e.pid) + ", " + value(e.tid)], e.stream !== null && [wordOf(e.source), value(e.stream)], ["category", value(e.category)], ["byte", count(e.offset)],
		e.start_rel_ns !== null && ["exact start", exactStart(s, e.start_rel_ns)], e.source !== n && ["trace", base(s.path)]]));
}
function detail(f, n) {
	const grave = f.f.severity, [late, early] = f.events, where = late && quoted(all[late.source].path), say = p("say " + (f.waived ? "note" : grave));
	const out = [h("div", "row", h("h2", "", f.title + " of " + count(f.f.count)), word(f.measures.kind || grave, f.waived ? "" : grave), grow(), set(h("a", "small", "link to this finding"), {href: "#run=" + n + "&f=" + f.place})), say];
	if (f.isOverlap) {
		const rest = early.start_rel_ns + early.duration_ns - late.start_rel_ns, shared = min(rest, late.duration_ns);
		say.append(h("b", "", time(shared)), " of " + vis(late.stream === null ? "this track" : wordOf(n) + " " + value(late.stream)) + " are used twice: the earlier event still has " + time(rest) + " to run when the later one starts (" + part(shared, late.duration_ns) + " of the later one).");
		out.push(eventCard(f, 1, "still running", n), eventCard(f, 0, "starts too early", n));
	} else {
		say.append(vis([f.f.message].concat(f.f.measures.map(x => label(x.name) + " " + value(f.measures[x.name], x.unit))).join("; ")));
		out.push(f.events.map((e, i) => eventCard(f, i, "event " + (i + 1) + " of " + f.events.length, n)));
	}
	out.push(f.waived && p("small gap", f.waived), f.f.remedy && p("small gap", f.f.remedy), late && h("details", "small gap", h("summary", "", "Look at it yourself"), p("soft gap", "Its bytes in the file:"), h("pre", "", (all[late.source].gzip ? "zcat " : "cat ") + where + " | tail -c +" + (late.offset + 1) + " | head -c 400"),
		p("soft gap", "This piece as a trace of its own:"), h("pre", "", "tav-run -s " + f.stage.name + " -s slice --set slice.finding=" + f.f.id + ":" + (f.i + 1) + " " + where + " --report trace=piece.json")));
	return h("div", "", out);
}
function Findings(n, list, choose) {
	const own = named(h("section", "card"), "The chosen finding"), isOverlap = list.every(f => f.isOverlap), first = f => (f.f.measures.find(x => x.unit === "ns") || {}).name, much = f => first(f) ? f.measures[first(f)] : null, most = max(1, ...list.map(much));
	const total = [...new Set(list.map(f => f.f))].reduce((a, f) => a + f.count, 0), start = f => f.events.length ? f.events[0].start_rel_ns : null;
	const rows = table("Findings", [{title: "#", cell: f => String(f.i + 1) + (f.waived ? " waived" : ""), key: f => f.i + 1}, !isOverlap && {title: "finding", cell: f => f.f.id}, {title: "at", key: start, cell: f => start(f) === null ? "-" : signed(start(f))},
		list.some(first) && {title: isOverlap ? "overlap" : label(first(list.find(first))), key: much, cell: f => much(f) === null ? "-" : [time(much(f)), bar([[much(f) / most, "k-bad"]], "thin")], tip: f => much(f) === null ? "" : count(much(f)) + " ns"},
		{title: isOverlap ? "too early / still running" : "events", cls: "long", key: f => f.names.join(" "), cell: f => f.names.map((x, i) => nameCell(x, i ? "soft" : ""))}], list, {tall: true, pick: choose, most: 100, words: "Filter by name", group: f => f.stage.id + ": " + f.f.id});
	const out = h("div", "two", section("Findings", count(total) + " in all" + (list.length < total ? ", the " + list.length + " most telling here" : ""), rows), own);
	return Object.assign(out, {input: rows.input,
		find: place => list.find(f => f.place === place) || list[0],
		choose(f) { out.chosen = f; own.replaceChildren(detail(f, n)); rows.mark(f); },
		next(by) { const r = rows.order().length ? rows.order() : list, at = r.indexOf(out.chosen); return r[at < 0 ? 0 : (at + by + r.length) % r.length]; }});
}

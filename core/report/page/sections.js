/* What is known of tav's own stages: their tables as pictures. A stage that did not run has no section. */
const WHY = {sync: "waiting for the device", runtime_call: "in another runtime call", input: "loading input", operator: "in an operator on the host", python: "in Python", other_host: "nothing recorded on the thread", launch_call: "in the launch call itself", start_latency: "launched, not yet begun", queued: "waiting in the queue", in_graph: "between kernels of a graph", unlinked: "no launch known", profiler: "in the profiler"};
const why = r => WHY[r.cause] || label(r.cause);
/* A column of names, with what else is told of each below it. */
const nameCol = (n, below) => ({title: "name", cls: "long", key: r => whole(r.name, n) + " " + below(r), cell: r => [nameCell(whole(r.name, n)), below(r) && h("div", "soft small", below(r))]});
const PARTS = [["compute_ns", "k-compute", "compute"], ["exposed_communication_ns", "k-communication", "exposed communication"], ["exposed_copies_ns", "k-copy", "exposed copies"], ["idle_ns", "k-idle", "idle"]];
const parts = (r, most) => PARTS.map(([id, cls, w]) => [r[id] / max(1, most), cls, r[id] ? w + " " + time(r[id]) : ""]);
const headlines = (stage, n) => told(stage, n).headlines.map(x => p("", x.text)), tablesOf = (stage, ids, n) => ids.split(" ").map(id => tableOf(stage, id, n));
const most = (rows, ...ids) => max(1, ...rows.flatMap(r => ids.map(id => r[id])));
function byDevice(rows, f) {
	const devices = [...new Set(rows.map(r => r.device))];
	return devices.map(d => [devices.length > 1 && h("h3", "", "Device " + value(d)), f(rows.filter(r => r.device === d))]);
}
function questions(n) {
	const t = tableOf("answers", "answers", n);
	if (!t) return null;
	tableOf("answers", "checks", n); /* they stand below, each at its stage */
	return section(n < 0 ? "What these traces can answer together" : "What this trace can answer", n < 0 ? "" : told("answers", n).headlines[0].text, h("ul", "questions", t.rows.map(r => h("li", "", word(r.answer, r.answer === "with care" ? "care" : r.answer), h("b", "", value(r.text)), r.because && p("soft small", whole(r.because, n))))));
}
function comparison(n) {
	const [t, verdict, pieces, changes, notes] = tablesOf("diff", "compared comparison parts changes notes", n);
	if (!t) return null;
	/* To the left what is less, to the right what is more; coloured where it was judged. */
	const change = (x, judged) => {
		const i = h("i", !judged ? "k-calm" : x > 0 ? "k-bad" : "k-ok"), w = min(1, abs(x)) * 50;
		i.style.width = w + "%";
		i.style.left = (x > 0 ? 50 : 50 - w) + "%";
		return hide(h("div", "signed", x && i));
	};
	return section("Compared with the baseline", verdict && verdict.rows[0].baseline && "baseline: " + base(value(verdict.rows[0].baseline)), headlines("diff", n), h("h3", "", t.title), byDevice(t.rows.filter(r => r.baseline_ns || r.candidate_ns), rows => table(t.title, [{title: "measure", cell: r => label(r.measure)}, ...cols("baseline_ns candidate_ns=this_one", n),
		col("change_pct", "change"), barCol("less | more", r => change(r.change_pct / most(rows.map(x => ({x: abs(x.change_pct)})), "x"), r.judged !== "shown")), {title: "judged", cell: r => r.judged === "shown" || !r.judged ? "not judged" : word(r.judged)}], rows)),
	pieces && [h("h3", "", pieces.title), pieces.rows.map(r => {
		const list = [["more or fewer calls", r.calls_ns], ["time of each call", r.time_per_call_ns], ["new work", r.new_ns], ["work that is gone", r.gone_ns], ["together", r.change_ns]].map(([part, ns]) => ({part, ns}));
		return table(pieces.title, [col("part"), col("ns", "change", n, "ns"), barCol("less | more", x => change(x.ns / most(list.map(y => ({x: abs(y.ns)})), "x"), x.part === "together"))], list);
	})], changes && plainTable(changes, n), notes && notes.rows.map(r => p("soft small", "Note: " + whole(r.note, n))));
}
function charts(n) { /* of the picture: exact, computed while the events were there */
	const P = all[n].picture, w = wordOf(n);
	if (!P || !P.devices.length) return null;
	const each = f => byDevice(P.devices, d => f(d[0]));
	return h("div", "two", section(w[0].toUpperCase() + w.slice(1) + "s busy at once", "from the first to the last device event", each(d => table("Busy at once", [{title: "at once", key: r => "" + r.i, cell: r => r.i ? plural(r.i, w) + (r.isLast && r.i > 3 ? " or more" : "") : "idle"}, barCol("of the time", r => bar([[r.share / 100, r.i ? "k-compute" : "k-calm"]], "wide")), col("share"), col("ns", "time", n, "ns")], d.at_once.map((ns, i) => ({i, ns, share: 100 * ns / (d.to - d.from), isLast: i === d.at_once.length - 1})).filter(r => r.ns || r.i < 2)))),
		section("Idle gaps by length", "bars: idle time in gaps of that length", each(d => d.gaps.length ? table("Idle gaps", [...cols("from_ns=gaps_from", n), barCol("idle time", r => bar([[r.ns / most(d.gaps, "ns"), "k-calm"]], "wide")), col("ns", "time", n, "ns"), col("count", "gaps")], d.gaps) : p("soft", "Never idle between its first and its last event."))));
}
function wallTime(n) { /* where the time of each device goes, and why it is idle */
	const [devices, idle, names, steps, spread] = tablesOf("wall-time", "devices idle idle_by_name steps step_spread", n);
	if (!devices) return null;
	const out = [section("Where the time goes", "of each device; exposed: with no compute beside it", headlines("wall-time", n), byDevice(devices.rows, ([r]) => [h("div", "gap", bar(parts(r, r.window_ns), "wide")), legend(PARTS.map(([id, cls, w]) => [cls, w + " " + part(r[id], r.window_ns) + ", " + value(r[id], "ns")]))]))];
	const causes = idle && section("Why the device is idle", "what the thread that launches the next work was doing", byDevice(idle.rows, rows => table(idle.title, [{title: "cause", cls: "long", key: why, cell: r => [why(r), h("div", "soft small", r.group === "late" ? "launched too late" : r.group === "in time" ? "launched in time" : value(r.group))]}, barCol("", r => bar([[r.idle_ns / most(rows, "idle_ns"), r.group === "late" ? "k-late" : "k-calm"]])), ...cols("idle_ns share gaps", n)], rows.filter(r => r.idle_ns).sort((a, b) => b.idle_ns - a.idle_ns))));
	out.push(names ? h("div", "two", causes, section("In what exactly", "names on the launching thread while the device was idle", table(names.title, [nameCol(n, why), ...cols("idle_ns share", n)], names.rows, {tall: true}), names.omitted && soft(count(names.omitted) + " more names"))) : causes);
	const rows = steps ? steps.rows.filter(r => r.device_ns) : [];
	if (rows.length) out.push(section("Steps", "time on the device, bars on one scale", legend(PARTS.map(x => x.slice(1))), byDevice(rows, list => table(steps.title, [{title: "step", cell: r => value(r.step) + (r.note ? " (" + r.note + ")" : "")}, barCol("", r => bar(parts(r, most(rows, "device_ns")))), ...cols("device_ns=time compute_ns exposed_communication_ns=exposed_comm. idle_ns host_late_ns=launched_late events", n)], list)),
		spread && spread.rows.map(r => r.closed_steps > 1 && p("soft small gap", r.closed_steps + " whole steps: " + value(r.min_ns, "ns") + " to " + value(r.max_ns, "ns") + ", median " + value(r.median_ns, "ns") + (r.outliers ? "; far from it: " + value(r.outliers) : "")))));
	return out;
}
function kernels(n) { /* of overlap-triage with what is hidden, else of stats */
	const t = tableOf("overlap-triage", "kernels", n), from = t || tableOf("stats", "names", n);
	if (!from) return null;
	const rows = from.rows, scale = most(rows, "total_ns"), share = t ? "share_pct" : "share", kind = r => r.category === "communication" ? "k-communication" : /cop|memset/i.test(r.category) ? "k-copy" : "k-compute", open = r => t && r.exposed_ns !== null ? r.exposed_ns : r.total_ns, scope = r => /^(unmapped|n.a)?$/.test(r.python_scope || "") ? "" : value(r.python_scope);
	addNames(rows.map(r => whole(r.name, n)));
	return section("Where the time goes, by name", t ? "full colour: exposed; pale: hidden behind compute" : "summed time of each name", table(from.title, [nameCol(n, scope), barCol("", r => bar([[open(r) / scale, kind(r), time(open(r)) + (t ? " exposed" : "")], [(r.total_ns - open(r)) / scale, kind(r) + " pale", r.total_ns > open(r) && time(r.total_ns - open(r)) + " hidden"]])), ...cols("total_ns " + share + "=share count", n)], rows, {most: 15}),
		from.omitted && soft(plural(from.omitted, "more name") + ", " + percent(max(0, 100 - rows.reduce((a, r) => a + r[share], 0))) + " of the time"));
}
function opportunities(n) {
	const t = tableOf("overlap-triage", "opportunities", n);
	return t && section("What to change first", t.omitted && count(t.omitted) + " more were left out", table(t.title, [{title: "first", cell: r => word(r.priority, {P1: "fail", P2: "warn"}[r.priority])}, col("recommendation", "do"), ...cols("kernel gain_ns=win_at_most gain_pct=of_the_window", n), col("suggestion", "why", n, "note"), col("python_scope", "launched from", n, "note")], t.rows, {group: r => value(r.recommendation), words: "Filter: kernel, source, reason"}));
}
function ranks() { /* which rank the others wait for */
	const t = tableOf("collectives", "ranks", -1), s = tableOf("wall-time", "step_ranks", -1), scale = t && most(t.rows, "waited_ns", "caused_ns");
	const wait = (id, cls) => barCol("", r => bar([[r[id] / scale, cls, label(id) + " " + value(r[id], "ns")]]));
	return [t && section("Who waits for whom", "waited: for ranks that came later; caused: the longest wait where it came last", headlines("collectives", -1), table(t.title, [...cols("rank"), wait("waited_ns", "k-calm"), ...cols("waited_ns"), wait("caused_ns", "k-late"), ...cols("caused_ns caused_after_first_ns=after_the_first arrived_last=came_last collective_ns=in_collectives")], t.rows)),
		s && section("Steps over the ranks", "own time: on the device, without exposed communication", headlines("wall-time", -1), table(s.title, [...cols("step"), ...cols("own_median_ns=median own_max_ns=slowest slowest_rank in in_more_ns=more_there")], s.rows))];
}
/* All other tables, stage by stage, closed at first: also of stages that this page does not know. */
function others(n) {
	const list = some(R.stages.map(stage => {
		const t = toldOf(stage, n) || {tables: [], metrics: {}}, tables = t.tables.filter(x => !shown.has(x) && x.show !== "data" && x.rows.length), names = Object.keys(t.metrics);
		if (!tables.length && !names.length) return null;
		const d = h("details", "", h("summary", "", h("b", "", stage.id), soft(" " + some(names.length && plural(names.length, "number"), tables.map(x => label(x.id))).join(", "))));
		d.ontoggle = () => {
			d.ontoggle = null;
			d.append(names.length ? h("h3", "", "Numbers") : "", facts(names.map(id => [label(id), value(t.metrics[id], t.units[id])])), ...some(tables.map(x => plainTable(x, n))));
		};
		return d;
	}));
	return list.length ? section(n < 0 ? "More about all traces" : "More tables", "all else that was measured", list) : null;
}
function checks(n) { /* every check with its result, passes too */
	const rows = R.stages.flatMap(stage => {
		const t = toldOf(stage, n);
		return t ? some(t.error && {stage, result: "error", why: "could not be done: " + t.error}, t.skipped && {stage, result: "skip", why: t.skipped}, t.checks.map(c => c.waived_by === undefined ? {stage, ...c} : {stage, ...c, result: "waived", why: value(c.why) + "; " + waiver(c.waived_by)})) : [];
	}), order = ["error", "fail", "warn", "waived", "skip", "pass"];
	rows.sort((a, b) => order.indexOf(a.result) - order.indexOf(b.result));
	return rows.length ? section("What was looked at" + (n < 0 ? " in all traces together" : ""), "every check: " + some(order.map(w => { const k = rows.filter(r => r.result === w).length; return k && k + " " + (w === "skip" ? "not judged" : w); })).join(", "),
		table("Checks", [{title: "result", key: r => "" + order.indexOf(r.result), cell: r => word(r.result === "pass" ? "ok" : r.result, r.result)}, {title: "stage", cell: r => r.stage.id}, {title: "check", cell: r => r.id || "-"}, {title: "why", cls: "long", cell: r => r.why || "-"}, col("examined", "looked at")], rows, {most: 30})) : null;
}
/* What was found, in words, but for findings that stand in a table of their own. */
const found = (n, hasTable) => R.stages.flatMap(stage => {
	const t = toldOf(stage, n) || {findings: []};
	return (t.error ? [["error", stage.id + " could not be done: " + t.error]] : []).concat(t.findings.filter(f => f.id !== "summary" && !(hasTable && f.instances.length)).map(f => f.waived && f.waived.count === f.count ? ["waived", f.message] : [f.severity, f.message, f.remedy]));
});

"use strict";
(async () => {
  const PAGE = 100;
  // Values reach the page as text nodes only.
  const shown = (value) => (value === null || value === undefined ? "null" : typeof value === "string" ? value : JSON.stringify(value))
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g, "\ufffd");
  const valued = (tag, value, settings = {}) => make(tag, settings,
    value === null || value === "" ? make("span", { class: "null" }, value === null ? "null" : "empty") : shown(value));
  const make = (tag, settings = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(settings)) {
      if (name === "on") for (const [event, call] of Object.entries(value)) node.addEventListener(event, call);
      else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children.filter((child) => child !== null));
    return node;
  };
  const at = (id) => document.getElementById(id);

  // Laws: a counterexample opens on a click; without script all are open.
  const buttons = [...document.querySelectorAll("[data-panel]")];
  for (const button of buttons) {
    const panel = at(button.dataset.panel);
    panel.hidden = true;
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", () => {
      panel.hidden = !panel.hidden;
      button.setAttribute("aria-expanded", String(!panel.hidden));
      if (!panel.hidden) { panel.scrollIntoView({ block: "nearest" }); panel.focus({ preventScroll: true }); }
    });
  }

  const packed = at("data").textContent.trim();
  if (!packed) return;
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const data = JSON.parse(await new Response(unpacked).text());
  const sides = data.sides || ["", ""];

  const tint = (number) => ["one", "other"][number] || "further";

  // -- timelines

  // The caption stays where it is if the table scrolls sideways.
  const rowsTable = (caption, columns, rows) => make("div", {}, make("p", { class: "caption" }, caption), wide(caption, make("table", { class: columns.length > 2 ? "stacks" : null },
    make("thead", {}, make("tr", {}, ...columns.map((name) => make("th", { scope: "col" }, shown(name))))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((cell, spot) => labelled(columns[spot], cell instanceof Node ? cell : valued("td", cell)))))))));
  // On a phone a row is a list of its cells, each after the name of its column.
  const labelled = (name, cell) => {
    cell.replaceChildren(make("span", {}, ...cell.childNodes));
    cell.dataset.label = shown(name);
    return cell;
  };
  const wide = (label, table) => make("div", { class: "wide", tabindex: "0", role: "group", "aria-label": label }, table);
  const moment = (commit) => (commit === null ? "\u2014" : commit === 0 ? "in the table" : commit);
  const versions = (story) => rowsTable(`${story.caption || "Versions in order of arrival"}; m: rows created by merging`,
    ["version", story.moment || "batch", ...story.columns],
    story.versions.map((one) => [one.label, moment(one.commit), ...one.row]));
  const call = (story) => (one) => make("li", { class: one.parts ? (story.mark ? "made" : "parts") : null },
    make("div", { class: "where" }, `${one.commit === null ? "" : `${story.unit || "batch"} ${one.commit} · `}${one.where}${one.release ? ` · Hudi ${one.release}` : ""}`),
    make("div", {}, make("b", {}, one.older === null ? one.newer : `${one.older}, then ${one.newer}`), ` \u2192 `, make("b", {}, one.result)),
    make("div", {}, shown(one.rule)),
    one.parts && (data.sides || story.mark) ? make("div", { class: "parting" }, story.mark || "\u2194 the sides part here") : null);
  const lanes = (story) => make("div", { class: "lanes" }, ...story.sides.map((side, number) => make("section", { class: "lane" },
    make("h3", {}, make("span", { class: `side ${tint(number)}` }, shown(side.name))),
    make("ol", {}, ...side.calls.map(call(story))),
    make("p", { class: "end" }, side.error === null ? `Ends with ${side.end}` : `Fails: ${shown(side.error)}`))));

  if (at("story")) at("story").append(versions(data.story), lanes(data.story));
  const body = document.querySelector("#list tbody");
  if (!body) return;

  // -- the list

  const { identity, kinds, tables, causes, rows } = data;
  const columns = [...new Set(rows.flatMap((row) => row.columns))].sort();
  const spots = data.partition.map((name) => identity.indexOf(name));
  const partition = (row) => spots.map((spot) => (row.key[spot] === "" || row.key[spot] === null ? "(none)" : shown(row.key[spot]))).join("/");
  for (const row of rows) row.words = shown([row.key, row.left, row.right, (row.answers || []).map((one) => [one.row, one.error])]).toLowerCase();
  const fields = {
    kind: { title: "Kind", of: (row) => [kinds[row.kind]] },
    cause: { title: "Cause", of: (row) => (row.cause === null ? [] : [causes[row.cause].id]), name: (id) => (causes.find((one) => one.id === id) || { title: id }).title },
    partition: { title: "Partition", of: (row) => (spots.length ? [partition(row)] : []) },
    column: { title: "Column", of: (row) => row.columns },
    paths: { title: "Paths", of: (row) => row.paths || [], name: (pair) => pair.replace("-", " and ") },
    table: { title: "Table", of: (row) => (tables.length > 1 ? [tables[row.table]] : []) },
  };
  const chosen = {};
  for (const [name, field] of Object.entries(fields)) {
    const values = [...new Set(rows.flatMap(field.of))].sort();
    const select = make("select", { id: `by-${name}`, on: { change: () => choose(name, select.value) } }, make("option", { value: "" }, "all"),
      ...values.map((value) => make("option", { value }, shown(field.name ? field.name(value) : value))));
    field.select = select;
    if (values.length > 1) at("filters").append(make("label", {}, `${field.title} `, select));
  }
  const valueOf = {
    kind: (row) => kinds[row.kind], cause: (row) => (row.cause === null ? "" : causes[row.cause].title),
    table: (row) => tables[row.table], columns: (row) => row.columns.join(", "),
  };
  const heads = [...identity.map((name, spot) => ({ title: name, of: (row) => shown(row.key[spot]) })),
    ...(tables.length > 1 ? [{ title: "table", of: valueOf.table }] : []),
    { title: "kind", of: valueOf.kind }, ...(causes.length ? [{ title: "cause", of: valueOf.cause }] : []), { title: rows[0].answers ? "answers" : "what changes", of: valueOf.columns }];
  const collate = new Intl.Collator("en", { numeric: true }).compare;
  const compare = (one, other) => (one !== "" && other !== "" && !isNaN(one) && !isNaN(other) ? one - other : collate(one, other));
  let sorted = null, descending = false, limit = PAGE, found = rows;

  const headRow = make("tr", {}, ...heads.map((head) => {
    const cell = make("th", { scope: "col" }, make("button", { type: "button", on: { click: () => {
      descending = sorted === head && !descending;
      sorted = head;
      for (const other of headRow.children) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", descending ? "descending" : "ascending");
      draw();
    } } }, head.title));
    return cell;
  }));
  document.querySelector("#list thead").append(headRow);

  const ends = (answer) => (answer.error !== null ? `fails: ${shown(answer.error)}` : answer.row === null ? "no row" : null);
  const answers = (row) => make("div", { class: "pairs" }, ...row.answers.map((answer, number) => make("span", { class: "pair" },
    answer.groups.length ? `${answer.groups.join(" ")} ` : "\u2026 ", make("i", { class: tint(number) },
      ends(answer) || row.columns.map((name) => `${name} ${shown(answer.row[name])}`).join(", ") || "a row"))));
  const every = (row) => {
    const names = Object.keys((row.answers.find((answer) => answer.row) || { row: {} }).row);
    const line = (answer, number) => [answer.groups.join(" ") || "\u2026", make("td", {}, make("span", { class: `side ${tint(number)}` }, answer.path), ends(answer) ? `: ${ends(answer)}` : ""),
      ...names.map((name) => valued("td", answer.row ? answer.row[name] : "\u2014", { class: row.columns.includes(name) ? "changed" : null }))];
    return rowsTable("Every answer, with the nearest path to it", ["paths", "nearest path", ...names], row.answers.map(line));
  };
  const pairs = (row) => {
    if (row.answers) return answers(row);
    if (row.left && row.right) {
      return make("div", { class: "pairs" }, ...row.columns.map((name) => make("span", { class: "pair" }, `${name}: `,
        valued("i", row.left[name], { class: "one", title: sides[0] }), " \u2192 ", valued("i", row.right[name], { class: "other", title: sides[1] }))));
    }
    const row_ = row.left || row.right;
    const text = Object.entries(row_).filter(([name]) => !identity.includes(name)).map(([name, value]) => `${name}=${shown(value)}`).join(", ");
    return make("span", {}, make("i", { class: `side ${row.left ? "one" : "other"}` }, text));
  };
  const both = (row) => {
    const names = Object.keys(row.left || row.right);
    const line = (side, values, css) => [make("td", {}, make("span", { class: `side ${css}` }, side)),
      ...names.map((name) => valued("td", values ? values[name] : "\u2014", { class: row.columns.includes(name) ? "changed" : null }))];
    return rowsTable("The row on both sides", ["side", ...names], [line(sides[0], row.left, "one"), line(sides[1], row.right, "other")]);
  };
  const detail = (row, number) => make("tr", { id: `detail-${number}` }, make("td", { class: "detail", colspan: String(heads.length) }, row.answers ? every(row) : both(row),
    row.note ? make("p", {}, `This key ${row.note}.`) : null,
    ...(row.story ? [versions(row.story), lanes(row.story)] : causes.length ? [make("p", {}, row.answers ? "The paths of this key were not traced." : "This key was not traced; payload-bridge explain shows one row.")] : [])));
  const line = (row, number) => {
    const opener = make("button", { type: "button", class: "open", "aria-expanded": "false", on: { click: () => {
      const open = opener.getAttribute("aria-expanded") === "true";
      opener.setAttribute("aria-expanded", String(!open));
      if (open) tr.nextElementSibling.remove();
      else tr.after(detail(row, number));
    } } }, shown(row.key[0]) || "(empty)");
    const tr = make("tr", {}, make("td", {}, opener), ...row.key.slice(1).map((value) => valued("td", value)),
      ...(tables.length > 1 ? [make("td", {}, tables[row.table])] : []),
      make("td", {}, make("span", { class: `kind k${row.kind}` }, kinds[row.kind])), ...(causes.length ? [make("td", { class: "cause" }, valueOf.cause(row) || "\u2014")] : []), make("td", {}, pairs(row)));
    [...tr.children].forEach((cell, spot) => { cell.dataset.label = heads[spot].title; });
    return tr;
  };
  const draw = () => {
    const words = at("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    found = rows.filter((row) => words.every((word) => row.words.includes(word)) &&
      Object.entries(chosen).every(([name, value]) => !value || fields[name].of(row).includes(value)));
    if (sorted) found.sort((one, other) => (descending ? -1 : 1) * compare(sorted.of(one), sorted.of(other)));
    body.replaceChildren(...found.slice(0, limit).map(line));
    const first = found.length > limit ? `, the first ${limit.toLocaleString("en")} are shown` : "";
    at("shown").textContent = found.length === rows.length ? `${rows.length.toLocaleString("en")}` : `${found.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")}`;
    at("shown").append(first);
    at("more").hidden = found.length <= limit;
    at("more").textContent = `Show ${Math.min(PAGE, found.length - limit)} more`;
  };
  const choose = (name, value) => { chosen[name] = value; fields[name].select.value = value; limit = PAGE; draw(); };
  for (const button of document.querySelectorAll("[data-field]")) {
    button.addEventListener("click", () => { choose(button.dataset.field, button.dataset.value); at("keys").scrollIntoView(); at("search").focus({ preventScroll: true }); });
  }
  for (const button of document.querySelectorAll("[data-search]")) {
    button.addEventListener("click", () => { at("search").value = button.dataset.search; limit = PAGE; draw(); at("keys").scrollIntoView(); at("search").focus({ preventScroll: true }); });
  }
  at("search").addEventListener("input", () => { limit = PAGE; draw(); });
  at("more").addEventListener("click", () => { limit += PAGE; draw(); });
  document.querySelector(".tools").addEventListener("submit", (event) => event.preventDefault());
  document.querySelector(".tools").addEventListener("reset", () => {
    for (const name of Object.keys(chosen)) delete chosen[name];
    limit = PAGE;
    setTimeout(draw);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) { event.preventDefault(); at("search").focus(); }
  });
  draw();
})();

// The page: the list of races, pointing and clicking, keys, and what is in focus.

(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const part = (id) => document.getElementById(id);
  const scroll = part("scroll"), tip = part("tip");
  const order = makeOrder(data);
  const drawing = new Drawing(data, { lanes: part("lanes"), head: part("head"), corner: part("corner"), gutter: part("gutter") });
  // More buttons than this make the list slow, and nobody reads them; n and p go on.
  const MOST_LISTED = 1000;
  let kept = null, pointed = null, race = -1, lastShown = -1;

  const view = () => ({ top: scroll.scrollTop, height: scroll.clientHeight, row: data.size.row });
  const focus = () => kept ?? pointed;
  const count = (n, one, many) => `${digits.format(n)} ${n === 1 ? one : many}`;
  const draw = () => drawing.draw(view(), focus());

  function describeTrace() {
    const words = [
      count(data.lanes.length, "thread", "threads"), count(data.events[0].length, "event", "events"),
      data.races.length === 0 ? "no race" : count(data.races.length, "race", "races"),
    ];
    part("summary").textContent = words.join(" · ");
    part("next").disabled = part("previous").disabled = data.races.length === 0;
  }

  function listRaces() {
    const items = data.races.slice(0, MOST_LISTED).map((r, i) => {
      const access = (event, text) => html("span", "access", html("i", "", String(event + 1)), text);
      const button = html("button", "", html("b", "", `#${i + 1} ${r.head}`));
      button.append(access(r.prior, r.first), access(r.current, r.then), html("span", "why", r.why));
      button.addEventListener("click", () => showRace(i));
      return html("li", "", button);
    });
    const rest = data.races.length - items.length;
    if (rest > 0) items.push(html("li", "none", `${count(rest, "more race", "more races")}: press n`));
    if (data.races.length === 0) items.push(html("li", "none", "No race was found."));
    part("races").replaceChildren(...items);
  }

  // Puts the later access of the race in focus. Its past does not contain the earlier one: that is the race.
  // Shown again, it scrolls to the earlier access, in case that was out of view.
  function showRace(i) {
    const { prior, current } = data.races[i];
    const ends = race === i && lastShown === current ? [current, prior] : [prior, current];
    race = i;
    lastShown = ends[1];
    kept = { relatives: relatives(order, current), race: i };
    pointed = null;
    hideTip();
    reveal(ends);
    draw();
    drawing.paint(focus());
    markListed();
    history.replaceState(null, "", `#race-${i + 1}`);
  }

  function showEvent(event) {
    race = -1;
    kept = { relatives: relatives(order, event) };
    drawing.paint(focus());
    markListed();
    history.replaceState(null, "", `#event-${event + 1}`);
  }

  function letGo() {
    kept = pointed = null;
    race = -1;
    hideTip();
    drawing.paint(null);
    markListed();
    history.replaceState(null, "", location.pathname + location.search);
  }

  function markListed() {
    [...part("races").querySelectorAll("button")].forEach((button, i) => {
      const current = i === race;
      if (current) button.scrollIntoView({ block: "nearest" });
      button.toggleAttribute("aria-current", false);
      if (current) button.setAttribute("aria-current", "true");
    });
  }

  // Scrolls so that the events are in view: all of them if they fit, else the last.
  function reveal(events) {
    const ys = events.map((e) => drawing.eventY(e)), xs = events.map((e) => drawing.eventX(e));
    scroll.scrollTop = centre(ys, scroll.clientHeight - 44, 2 * data.size.row);
    scroll.scrollLeft = centre(xs, scroll.clientWidth - drawing.left, data.size.lane);
  }

  // Where to scroll to along one axis: the middle of the two points or, if they are too far apart, the second near the edge that
  // leaves most of the way to the first in view.
  function centre(points, room, margin) {
    const first = points[0], last = points[points.length - 1];
    if (Math.abs(first - last) + margin <= room) return (first + last) / 2 - room / 2;
    return first < last ? last + margin - room : last - margin;
  }

  function eventAt(target) {
    const group = target.closest?.("[data-event]");
    return group ? Number(group.dataset.event) : -1;
  }

  function point(target) {
    const event = eventAt(target);
    if (event < 0) return unpoint();
    if (pointed?.relatives.event === event) return;
    pointed = { relatives: relatives(order, event) };
    if (!kept) drawing.paint(pointed);
    showTip(pointed.relatives, target.closest("[data-event]").getBoundingClientRect());
  }

  function unpoint() {
    if (!pointed) return;
    pointed = null;
    hideTip();
    if (!kept) drawing.paint(null);
  }

  function showTip({ event, before, after, unordered }, box) {
    const thread = data.lanes[data.events[0][event]][0], place = drawing.place(event);
    const lines = [html("p", "", html("b", "", thread), ` ${drawing.label(event)[1]}`)];
    lines.push(html("p", "soft", `event ${digits.format(event + 1)}${place ? `, at ${place}` : ""}`));
    const [past, future] = [html("span", "past", `${digits.format(before)} before`), html("span", "future", `${digits.format(after)} after`)];
    lines.push(html("p", "soft", past, ", ", future, `, ${digits.format(unordered)} not ordered with it`));
    const races = drawing.racing.get(event) ?? [];
    if (races.length > 0) lines.push(html("p", "bad", html("b", "", `#${races[0] + 1} `), data.races[races[0]].why));
    if (races.length > 1) lines.push(html("p", "bad", `and in ${count(races.length - 1, "more race", "more races")}`));
    tip.replaceChildren(...lines);
    tip.hidden = false;
    const below = box.bottom + 8 + tip.offsetHeight < innerHeight;
    tip.style.left = `${Math.max(8, Math.min(box.left, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${below ? box.bottom + 8 : Math.max(8, box.top - 8 - tip.offsetHeight)}px`;
  }

  function hideTip() { tip.hidden = true; }

  function toggleBrief() {
    const brief = part("brief").getAttribute("aria-pressed") !== "true";
    part("brief").setAttribute("aria-pressed", brief);
    const rows = drawing.rows, top = rows.events[Math.floor(scroll.scrollTop / data.size.row)] ?? 0;
    drawing.setRows(brief);
    const row = drawing.rows.events.findIndex((e) => e >= top);
    scroll.scrollTop = Math.max(0, row) * data.size.row;
    if (race >= 0) reveal([data.races[race].prior, data.races[race].current]);
    draw();
  }

  function step(by) {
    const n = data.races.length;
    if (n > 0) showRace(race < 0 ? (by > 0 ? 0 : n - 1) : (race + by + n) % n);
  }

  const keys = { n: () => step(1), p: () => step(-1), b: toggleBrief, Escape: letGo };
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || !Object.hasOwn(keys, e.key)) return;
    e.preventDefault();
    keys[e.key]();
  });
  part("next").addEventListener("click", () => step(1));
  part("previous").addEventListener("click", () => step(-1));
  part("brief").addEventListener("click", toggleBrief);
  const lanes = part("lanes");
  lanes.addEventListener("mouseover", (e) => point(e.target));
  lanes.addEventListener("mouseleave", unpoint);
  lanes.addEventListener("click", (e) => {
    const badge = e.target.closest("[data-race]"), event = eventAt(e.target);
    if (badge) showRace(Number(badge.dataset.race));
    else if (event >= 0) showEvent(event);
    else letGo();
  });
  scroll.addEventListener("scroll", () => { hideTip(); requestAnimationFrame(draw); }, { passive: true });
  addEventListener("resize", draw);

  // A link may name what to show: #race-3, #event-17.
  function showLinked() {
    const [, what, number] = /^#(race|event)-(\d+)$/.exec(location.hash) ?? [], i = Number(number) - 1;
    if (what === "race" && i < data.races.length) showRace(i);
    if (what === "event" && i < order.n) { reveal([i]); draw(); showEvent(i); }
  }

  // On a low screen the races need the room more than the help does.
  part("help").open = innerHeight > 700;
  describeTrace();
  listRaces();
  draw();
  showLinked();
  scroll.focus({ preventScroll: true });
})();

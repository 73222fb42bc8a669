// Draws the rows in view: boxes, arrows and race lines as SVG, numbers and places beside them.

// Lines over more rows than this are straight, so that they can be cut off at the edge of what is drawn.
const LONG = 60;
// Nobody can follow more lines than this in one view, and drawing them would stall the scrolling.
const MOST_LINES = 1500;

const digits = new Intl.NumberFormat("en");

function svg(name, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  node.append(...children);
  return node;
}

function html(name, className, ...children) {
  const node = document.createElement(name);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

class Drawing {
  constructor(data, sheet) {
    Object.assign(this, { data, sheet, size: data.size, drawn: null, boxes: new Map(), lines: [] });
    this.lives = lifetimes(data);
    this.racing = racesByEvent(data);
    this.left = this.size.numbers + this.size.places;
    this.widen(sheet.lanes.closest("main").clientWidth - this.left);
    this.width = data.lanes.length * this.size.lane + 2 * this.size.inset;
    this.setRows(false);
    this.drawHead();
  }

  setRows(brief) {
    this.rows = makeRows(this.data, brief);
    this.height = this.rows.events.length * this.size.row;
    const { gutter, lanes } = this.sheet;
    gutter.style.width = `${this.left}px`;
    gutter.style.height = lanes.style.height = `${this.height + 40}px`;
    lanes.style.width = `${this.width}px`;
    this.drawn = null;
  }

  // Few lanes share the room there is, up to a point.
  widen(room) {
    const share = Math.floor((room - 2 * this.size.inset) / this.data.lanes.length);
    this.size.lane = Math.max(this.size.lane, Math.min(share, 220));
  }

  laneX(lane) { return this.size.inset + lane * this.size.lane + this.size.lane / 2; }
  eventX(event) { return this.laneX(this.data.events[0][event]); }
  eventY(event) { return this.rows.rowOf[event] * this.size.row + this.size.row / 2; }
  label(event) { return this.data.labels[this.data.events[1][event]]; }
  place(event) { return this.data.places[this.data.events[2][event] - 1]; }

  drawHead() {
    const { head, corner } = this.sheet;
    head.style.minWidth = `${this.width}px`;
    corner.style.width = `${this.left}px`;
    this.data.lanes.forEach(([name, shown], i) => {
      const cell = html("div", "", shown);
      cell.title = name;
      cell.style.left = `${this.size.inset + i * this.size.lane}px`;
      cell.style.width = `${this.size.lane}px`;
      head.append(cell);
    });
    const event = html("span", "", "event");
    event.style.right = `${this.size.places + 20}px`;
    corner.append(event);
    if (this.size.places > 0) {
      const place = html("span", "", "place");
      place.style.left = `${this.size.numbers}px`;
      corner.append(place);
    }
  }

  // Draws what the view needs, unless it is drawn already.
  draw(view, focus) {
    const wanted = wantedRows(view, this.rows.events.length, this.drawn);
    if (!wanted) return;
    this.drawn = wanted;
    const [first, last] = wanted, top = first * this.size.row, height = (last - first) * this.size.row;
    const picture = svg("svg", { class: "picture", width: this.width, height, viewBox: `0 ${top} ${this.width} ${height}` });
    picture.style.top = `${top}px`;
    this.boxes = new Map();
    this.lines = [];
    this.band = svg("rect", { class: "band", width: this.width, height: this.size.row });
    picture.append(arrowHeads(), this.band, this.drawLives(), this.drawEdges(), this.drawRaces(), this.drawEvents(), this.drawBadges());
    this.sheet.lanes.replaceChildren(picture);
    this.drawGutter();
    this.paint(focus);
  }

  drawLives() {
    const layer = svg("g");
    const [top, bottom] = this.drawn.map((row) => row * this.size.row);
    const events = this.rows.events;
    const [first, last] = [events[this.drawn[0]] ?? 0, events[this.drawn[1] - 1] ?? 0];
    this.lives.forEach(([born, died], lane) => {
      const x = this.laneX(lane);
      layer.append(svg("path", { class: "guide", d: `M${x} ${top}V${bottom}` }));
      if (born > last || died < first) return;
      const from = this.rows.rowOf[born] >= 0 && born >= first ? this.eventY(born) : top;
      const to = this.rows.rowOf[died] >= 0 && died <= last ? this.eventY(died) : bottom;
      layer.append(svg("path", { class: "lane", d: `M${x} ${from}V${to}` }));
    });
    return layer;
  }

  drawEvents() {
    const layer = svg("g");
    for (let row = this.drawn[0]; row < this.drawn[1]; row++) {
      const event = this.rows.events[row], [short, , kind, width] = this.label(event);
      const x = this.eventX(event), y = this.eventY(event), height = this.size.box;
      const box = svg("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: 6 });
      const under = box.cloneNode();
      under.setAttribute("class", "under");
      const group = svg("g", { "data-event": event }, under, box, svg("text", { x, y: y + 4 }, short));
      const base = `event ${kind}${this.racing.has(event) ? " racing" : ""}`;
      this.boxes.set(event, { group, base });
      layer.append(group);
    }
    return layer;
  }

  drawEdges() {
    const layer = svg("g"), [from, to, reason] = this.data.edges;
    for (let i = 0; i < from.length && this.lines.length < MOST_LINES; i++) {
      const d = this.line(from[i], to[i]);
      if (!d) continue;
      const path = svg("path", { class: "edge", d }, svg("title", {}, this.data.reasons[reason[i]]));
      this.lines.push({ path, from: from[i], to: to[i], base: this.lineClass("edge", from[i], to[i]) });
      layer.append(path);
    }
    return layer;
  }

  drawRaces() {
    const layer = svg("g");
    this.raceLines = [];
    this.data.races.forEach((race, i) => {
      const d = this.raceLines.length < MOST_LINES && this.line(race.prior, race.current);
      if (!d) return;
      const path = svg("path", { d });
      this.raceLines.push({ node: path, race: i, base: this.lineClass("race", race.prior, race.current) });
      layer.append(path);
    });
    return layer;
  }

  drawBadges() {
    const layer = svg("g");
    for (const { race: i } of this.raceLines.slice()) {
      const { prior, current } = this.data.races[i];
      const x = (this.eventX(prior) + this.eventX(current)) / 2, y = (this.eventY(prior) + this.eventY(current)) / 2;
      if (y < this.drawn[0] * this.size.row || y > this.drawn[1] * this.size.row) continue;
      const text = String(i + 1), width = 12 + 7 * text.length;
      const disc = svg("rect", { x: x - width / 2, y: y - 9.5, width, height: 19, rx: 9.5 });
      const badge = svg("g", { "data-race": i }, disc, svg("text", { x, y: y + 4 }, text));
      this.raceLines.push({ node: badge, race: i, base: "badge" });
      layer.append(badge);
    }
    return layer;
  }

  drawGutter() {
    const rows = [];
    this.numbers = new Map();
    for (let row = this.drawn[0]; row < this.drawn[1]; row++) {
      const event = this.rows.events[row], skipped = row > 0 ? event - this.rows.events[row - 1] - 1 : event;
      const number = html("i", "", digits.format(event + 1)), place = html("em", "", this.place(event) ?? "");
      number.style.width = `${this.size.numbers - 20}px`;
      place.style.left = `${this.size.numbers}px`;
      const cell = html("div", skipped > 0 ? "gap" : "", number, place);
      if (skipped > 0) cell.title = `${digits.format(skipped)} left out above`;
      Object.assign(cell.style, { top: `${row * this.size.row}px`, height: `${this.size.row}px`, lineHeight: `${this.size.row}px` });
      this.numbers.set(event, cell);
      rows.push(cell);
    }
    this.sheet.gutter.replaceChildren(...rows);
  }

  // The race in focus or, with an event in focus, all races of that event.
  chosenRaces(focus) {
    if (!focus) return [];
    return focus.race === undefined ? this.racing.get(focus.relatives.event) ?? [] : [focus.race];
  }

  otherParty(race, event) {
    const { prior, current } = this.data.races[race];
    return event === prior ? current : prior;
  }

  // Colours what is drawn for the event in focus, if there is one: { relatives, race }.
  paint(focus) {
    this.sheet.lanes.classList.toggle("focus", focus !== null);
    const marks = focus?.relatives.marks, here = focus?.relatives.event;
    const chosen = this.chosenRaces(focus), others = new Set(chosen.map((i) => this.otherParty(i, here)));
    this.band.setAttribute("y", here === undefined ? -this.size.row : this.rows.rowOf[here] * this.size.row);
    for (const [event, { group, base }] of this.boxes) {
      let role = "";
      if (event === here) role = " here";
      else if (others.has(event)) role = " other";
      else if (marks) role = side(marks[event]);
      group.setAttribute("class", base + role);
      this.numbers.get(event).classList.toggle("here", event === here);
    }
    for (const { path, from, to, base } of this.lines) {
      const role = marks ? edgeSide(marks, here, from, to) : "";
      path.setAttribute("class", base + role);
      path.setAttribute("marker-end", `url(#arrow${role.replace(" ", "-")})`);
    }
    for (const { node, race, base } of this.raceLines) {
      node.setAttribute("class", base + (chosen.includes(race) ? " chosen" : ""));
    }
  }

  // Lines that only pass by are fainter: their ends are far away.
  lineClass(base, from, to) { return this.isDrawn(from) || this.isDrawn(to) ? base : `${base} passing`; }

  isDrawn(event) {
    const row = this.rows.rowOf[event];
    return row >= this.drawn[0] && row < this.drawn[1];
  }

  // The path of the line between two events, or null if it does not touch the drawn rows; the rule is that of svg.rs: it leaves and
  // arrives horizontally on the sides that face each other or, where the lanes are too narrow for that, vertically.
  line(from, to) {
    const [r1, r2] = [this.rows.rowOf[from], this.rows.rowOf[to]];
    if (Math.max(r1, r2) < this.drawn[0] || Math.min(r1, r2) >= this.drawn[1]) return null;
    let [x1, x2, y1, y2] = [this.eventX(from), this.eventX(to), this.eventY(from), this.eventY(to)];
    const right = Math.sign(x2 - x1), down = Math.sign(y2 - y1), half = (event) => this.label(event)[3] / 2;
    const [left1, left2] = [x1 + right * half(from), x2 - right * half(to)], room = (left2 - left1) * right;
    if (Math.abs(r1 - r2) > LONG) return room < 16 ? this.cutLine(x1, y1, x2, y2) : this.cutLine(left1, y1, left2, y2);
    if (room >= 16) {
      const bend = right * Math.min(60, room / 2);
      return `M${left1} ${y1}C${left1 + bend} ${y1} ${left2 - bend} ${y2} ${left2} ${y2}`;
    }
    [y1, y2] = [y1 + (down * this.size.box) / 2, y2 - (down * this.size.box) / 2];
    const bend = down * Math.min(60, Math.max(8, Math.abs(y2 - y1) / 2));
    return `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
  }

  cutLine(x1, y1, x2, y2) {
    const [top, bottom] = this.drawn.map((row) => row * this.size.row), slope = (x2 - x1) / (y2 - y1);
    const at = (y) => {
      const cut = Math.min(bottom, Math.max(top, y));
      return `${(x1 + (cut - y1) * slope).toFixed(1)} ${cut}`;
    };
    return `M${at(y1)}L${at(y2)}`;
  }
}

function side(mark) {
  if (mark & BEFORE) return " past";
  return mark & AFTER ? " future" : "";
}

// An edge lies in the past if it leads there or to the event in focus, and in the future likewise.
function edgeSide(marks, here, from, to) {
  if (marks[from] & BEFORE && (to === here || marks[to] & BEFORE)) return " past";
  return marks[to] & AFTER && (from === here || marks[from] & AFTER) ? " future" : "";
}

// One arrow head per colour: a marker cannot yet take the colour of its line everywhere.
function arrowHeads() {
  const head = (role) => {
    const shape = svg("path", { d: "M0 0.5 8 4 0 7.5z" });
    const box = { viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" };
    return svg("marker", { id: role ? `arrow-${role}` : "arrow", class: `arrow ${role}`, ...box }, shape);
  };
  return svg("defs", {}, ...["", "past", "future"].map(head));
}

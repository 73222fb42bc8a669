// Which events have a row, and which rows are in view.

// All events, or only those that race or order something.
function makeRows(data, brief) {
  const n = data.events[0].length;
  const keep = brief ? important(data) : null;
  const events = [], rowOf = new Int32Array(n).fill(-1);
  for (let i = 0; i < n; i++) {
    if (keep && !keep[i]) continue;
    rowOf[i] = events.length;
    events.push(i);
  }
  return { events, rowOf };
}

function important(data) {
  const label = data.events[1];
  const quiet = new Set(["read", "write", "mark"]);
  const keep = Uint8Array.from(label, (l) => (quiet.has(data.labels[l][2]) ? 0 : 1));
  for (const end of [data.edges[0], data.edges[1]]) for (const e of end) keep[e] = 1;
  for (const race of data.races) keep[race.prior] = keep[race.current] = 1;
  return keep;
}

// The first and last event of each lane: a thread's life.
function lifetimes(data) {
  const lives = data.lanes.map(() => [Infinity, -1]);
  data.events[0].forEach((lane, i) => {
    lives[lane][0] = Math.min(lives[lane][0], i);
    lives[lane][1] = i;
  });
  return lives;
}

// For each event the numbers of its races.
function racesByEvent(data) {
  const races = new Map();
  data.races.forEach((race, i) => {
    for (const e of [race.prior, race.current]) {
      if (!races.has(e)) races.set(e, []);
      races.get(e).push(i);
    }
  });
  return races;
}

// The rows in view with some more above and below, so that short scrolls need no drawing; null if the drawn ones still do.
function wantedRows(view, total, drawn) {
  const first = Math.max(0, Math.floor(view.top / view.row)), last = Math.min(total, Math.ceil((view.top + view.height) / view.row));
  if (drawn && first >= drawn[0] && last <= drawn[1]) return null;
  const spare = 40;
  return [Math.max(0, first - spare), Math.min(total, last + spare)];
}

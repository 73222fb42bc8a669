// What happens before and after an event, computed from the edges and program order.
//
// Each event is two nodes: its start (2i) and its completion (2i + 1). An edge goes from a start to a completion, unless its ports
// say otherwise; program order goes through both. So a receive that orders the completion of a later send does not order what
// that send orders from its start.

const BEFORE = 1, AFTER = 2;

// The graph in compressed rows: for each node the other ends of its edges, in both directions.
function makeOrder(data) {
  const lane = data.events[0], n = lane.length;
  const [from, to, , ports] = data.edges;
  const tail = from.map((e, i) => 2 * e + (ports[i] & 1));
  const head = to.map((e, i) => 2 * e + (ports[i] & 2 ? 0 : 1));
  const previous = new Int32Array(n).fill(-1), next = new Int32Array(n).fill(-1);
  const last = new Int32Array(data.lanes.length).fill(-1);
  for (let i = 0; i < n; i++) {
    previous[i] = last[lane[i]];
    if (previous[i] >= 0) next[previous[i]] = i;
    last[lane[i]] = i;
  }
  return { n, previous, next, out: adjacency(2 * n, tail, head), into: adjacency(2 * n, head, tail) };
}

// For each node the targets of the edges from it: targets[starts[node]] up to targets[starts[node + 1]].
function adjacency(nodes, from, to) {
  const starts = new Int32Array(nodes + 1), targets = new Int32Array(from.length);
  for (const f of from) starts[f + 1]++;
  for (let i = 0; i < nodes; i++) starts[i + 1] += starts[i];
  const at = starts.slice();
  from.forEach((f, i) => { targets[at[f]++] = to[i]; });
  return { starts, targets };
}

// Marks every event BEFORE or AFTER the given one (both, for the two halves of a rendezvous) and counts them.
function relatives(order, event) {
  const marks = new Uint8Array(order.n);
  const earlier = reach(2 * event + 1, order.into, (node) => (node & 1 ? node - 1 : completion(order.previous[node >> 1])));
  const later = reach(2 * event, order.out, (node) => (node & 1 ? start(order.next[node >> 1]) : node + 1));
  let before = 0, after = 0, both = 0;
  for (let i = 0; i < order.n; i++) {
    if (i === event) continue;
    if (earlier[2 * i]) { marks[i] |= BEFORE; before++; }
    if (later[2 * i + 1]) { marks[i] |= AFTER; after++; }
    if (marks[i] === (BEFORE | AFTER)) both++;
  }
  return { event, marks, before, after, unordered: order.n - 1 - before - after + both };
}

const completion = (event) => (event < 0 ? -1 : 2 * event + 1);
const start = (event) => (event < 0 ? -1 : 2 * event);

// The nodes that can be reached over the edges and over program order, which leads from each node to at most one other.
function reach(origin, edges, along) {
  const seen = new Uint8Array(edges.starts.length), stack = [origin];
  seen[origin] = 1;
  const visit = (node) => {
    if (node >= 0 && !seen[node]) { seen[node] = 1; stack.push(node); }
  };
  while (stack.length > 0) {
    const node = stack.pop();
    visit(along(node));
    for (let k = edges.starts[node]; k < edges.starts[node + 1]; k++) visit(edges.targets[k]);
  }
  return seen;
}

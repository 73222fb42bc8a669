// The handlers v1, v1.5 and v2 of crates/online as a layered CIVL program: each is atomic, and refines the rule of the access.
//
// Layer 0 is the machine: loads, stores and compare-and-swaps of a variable's words, with the mover types that the synchronisation discipline
// gives them (Section 5 of VerifiedFT; here for W, R and the lock of crates/online/src/var.rs). Layer 1 has the handlers. At layer 2 a handler is its rule.
// For Boogie 2.4.1: `cargo xtask proofs`.

type Var;
type {:linear "tid"} Tid = int;
const nil: Tid;
axiom nil == -1;

function {:builtin "MapConst"} NoTid(bool): [Tid]bool;
function {:inline} {:linear "tid"} TidCollector(t: Tid): [Tid]bool { NoTid(false)[t := true] }

// ---- Epochs, clocks, sets of reads -------------------------------------------------------------------------------------------------

type {:datatype} Epoch;
function {:constructor} At(tid: Tid, clock: int): Epoch;
type {:datatype} Reads;
function {:constructor} One(epoch: Epoch): Reads;       // the last read; None() if there is none
function {:constructor} Set(reads: [Tid]int): Reads;    // one a thread

function {:inline} NoEpoch(): Epoch { At(0, 0) }
function {:inline} None(): Reads { One(NoEpoch()) }
function {:inline} Now(t: Tid, c: [Tid]int): Epoch { At(t, c[t]) }
function {:inline} Known(e: Epoch, c: [Tid]int): bool { clock#At(e) <= c[tid#At(e)] }
function {:inline} AllKnown(v: [Tid]int, c: [Tid]int): bool { (forall u: Tid :: v[u] <= c[u]) }
function {:inline} ReadsKnown(r: Reads, c: [Tid]int): bool { if is#One(r) then Known(epoch#One(r), c) else AllKnown(reads#Set(r), c) }
function {:builtin "MapConst"} Zero(int): [Tid]int;

// ---- The rules (Figure 2; crates/online/src/rules.rs; OnlineRules.v) ---------------------------------------------------------------

// [Read Same Epoch], [Read Shared Same Epoch]
function {:inline} ReadSame(t: Tid, c: [Tid]int, r: Reads): bool {
  if is#One(r) then epoch#One(r) == Now(t, c) else reads#Set(r)[t] == c[t]
}
// [Read Shared], [Read Exclusive], [Read Share]
function {:inline} ReadNew(t: Tid, c: [Tid]int, r: Reads): Reads {
  if ReadSame(t, c, r) then r
  else if is#Set(r) then Set(reads#Set(r)[t := c[t]])
  else if Known(epoch#One(r), c) then One(Now(t, c))
  else Set(Zero(0)[tid#At(epoch#One(r)) := clock#At(epoch#One(r))][t := c[t]])
}
// not [Write-Read Race]
function {:inline} ReadOk(t: Tid, c: [Tid]int, w: Epoch, r: Reads): bool { ReadSame(t, c, r) || Known(w, c) }
// not [Write-Write Race], [Read-Write Race], [Shared-Write Race]
function {:inline} WriteOk(t: Tid, c: [Tid]int, w: Epoch, r: Reads): bool { w == Now(t, c) || (Known(w, c) && ReadsKnown(r, c)) }
// [Write Same Epoch], [Write Exclusive], [Write Shared]: the last forgets the reads
function {:inline} WriteNewR(t: Tid, c: [Tid]int, w: Epoch, r: Reads): Reads {
  if w != Now(t, c) && is#Set(r) && WriteOk(t, c, w, r) then None() else r
}

// ---- Layer 0: the machine ---------------------------------------------------------------------------------------------------------

var {:layer 0,2} W: [Var]Epoch;
var {:layer 0,2} R: [Var]Reads;
var {:layer 0,1} K: [Var]Tid;       // who has the lock: a bit of the word of W

// W without the lock. What matters is whether it is the thread's present epoch; the rest is a guess, which a compare-and-swap will check.
procedure {:atomic} {:layer 1} AtomicLookW(x: Var, t: Tid, c: [Tid]int) returns (same: bool, w: Epoch)
{ assert c[t] >= 1; if (*) { assume W[x] == Now(t, c); same := true; w := W[x]; } else { same := false; } }
procedure {:yields} {:layer 0} {:refines "AtomicLookW"} LookW(x: Var, t: Tid, c: [Tid]int) returns (same: bool, w: Epoch);

// R without the lock, as W. A set is a value: looking up one's own entry tells of the set that R named, or fails.
procedure {:atomic} {:layer 1} AtomicLookR(x: Var, t: Tid, c: [Tid]int) returns (same: bool, r: Reads)
{ assert c[t] >= 1; if (*) { assume ReadSame(t, c, R[x]); same := true; r := R[x]; } else { same := false; } }
procedure {:yields} {:layer 0} {:refines "AtomicLookR"} LookR(x: Var, t: Tid, c: [Tid]int) returns (same: bool, r: Reads);

// Both words at once, while nobody has the lock; may fail for no reason.
procedure {:atomic} {:layer 1} AtomicReplace(x: Var, w: Epoch, r: Reads, w': Epoch, r': Reads) returns (done: bool)
modifies W, R;
{ if (*) { assume K[x] == nil && W[x] == w && R[x] == r; W[x] := w'; R[x] := r'; done := true; } else { done := false; } }
procedure {:yields} {:layer 0} {:refines "AtomicReplace"} Replace(x: Var, w: Epoch, r: Reads, w': Epoch, r': Reads) returns (done: bool);

procedure {:right} {:layer 1} AtomicLock({:linear "tid"} t: Tid, x: Var)
modifies K;
{ assert t != nil; assume K[x] == nil; K[x] := t; }
procedure {:yields} {:layer 0} {:refines "AtomicLock"} Lock({:linear "tid"} t: Tid, x: Var);

procedure {:both} {:layer 1} AtomicLoadW({:linear "tid"} t: Tid, x: Var) returns (w: Epoch)
{ assert t != nil && K[x] == t; w := W[x]; }
procedure {:yields} {:layer 0} {:refines "AtomicLoadW"} LoadW({:linear "tid"} t: Tid, x: Var) returns (w: Epoch);

procedure {:both} {:layer 1} AtomicLoadR({:linear "tid"} t: Tid, x: Var) returns (r: Reads)
{ assert t != nil && K[x] == t; r := R[x]; }
procedure {:yields} {:layer 0} {:refines "AtomicLoadR"} LoadR({:linear "tid"} t: Tid, x: Var) returns (r: Reads);

// R in a read: others may look at it at once.
procedure {:atomic} {:layer 1} AtomicStoreR({:linear "tid"} t: Tid, x: Var, r: Reads)
modifies R;
{ assert t != nil && K[x] == t; R[x] := r; }
procedure {:yields} {:layer 0} {:refines "AtomicStoreR"} StoreR({:linear "tid"} t: Tid, x: Var, r: Reads);

// R in a write leaves it as it is or makes it none: who looks at it meanwhile finds nothing that it would not find before. So it moves to the store of W.
procedure {:right} {:layer 1} AtomicClearR({:linear "tid"} t: Tid, x: Var, c: [Tid]int, r: Reads)
modifies R;
{ assert t != nil && K[x] == t && c[t] >= 1 && (r == None() || r == R[x]); R[x] := r; }
procedure {:yields} {:layer 0} {:refines "AtomicClearR"} ClearR({:linear "tid"} t: Tid, x: Var, c: [Tid]int, r: Reads);

// The lock is a bit of W: in a read W stays, in a write it is stored.
procedure {:left} {:layer 1} AtomicUnlock({:linear "tid"} t: Tid, x: Var)
modifies K;
{ assert t != nil && K[x] == t; K[x] := nil; }
procedure {:yields} {:layer 0} {:refines "AtomicUnlock"} Unlock({:linear "tid"} t: Tid, x: Var);

procedure {:atomic} {:layer 1} AtomicStoreWUnlock({:linear "tid"} t: Tid, x: Var, w: Epoch)
modifies W, K;
{ assert t != nil && K[x] == t; W[x] := w; K[x] := nil; }
procedure {:yields} {:layer 0} {:refines "AtomicStoreWUnlock"} StoreWUnlock({:linear "tid"} t: Tid, x: Var, w: Epoch);

// ---- Layer 2: the rules as atomic actions -------------------------------------------------------------------------------------------

procedure {:atomic} {:layer 2} RuleRead({:linear "tid"} t: Tid, x: Var, c: [Tid]int) returns (ok: bool)
modifies R;
{ ok := ReadOk(t, c, W[x], R[x]); R[x] := ReadNew(t, c, R[x]); }

procedure {:atomic} {:layer 2} RuleWrite({:linear "tid"} t: Tid, x: Var, c: [Tid]int) returns (ok: bool)
modifies W, R;
{ ok := WriteOk(t, c, W[x], R[x]); R[x] := WriteNewR(t, c, W[x], R[x]); W[x] := Now(t, c); }

// ---- Layer 1: the handlers ------------------------------------------------------------------------------------------------------------

procedure {:yields} {:layer 1} {:refines "RuleRead"} ReadV1({:linear "tid"} t: Tid, x: Var, c: [Tid]int) returns (ok: bool)
requires {:layer 1} t != nil && c[t] >= 1;
{
  var w: Epoch;
  var r: Reads;
  yield;
  call Lock(t, x);
  call w := LoadW(t, x);
  call r := LoadR(t, x);
  ok := ReadOk(t, c, w, r);
  call StoreR(t, x, ReadNew(t, c, r));
  call Unlock(t, x);
  yield;
}

procedure {:yields} {:layer 1} {:refines "RuleWrite"} WriteV1({:linear "tid"} t: Tid, x: Var, c: [Tid]int) returns (ok: bool)
requires {:layer 1} t != nil && c[t] >= 1;
{
  var w: Epoch;
  var r: Reads;
  yield;
  call Lock(t, x);
  call w := LoadW(t, x);
  call r := LoadR(t, x);
  ok := WriteOk(t, c, w, r);
  call ClearR(t, x, c, WriteNewR(t, c, w, r));
  call StoreWUnlock(t, x, Now(t, c));
  yield;
}

procedure {:yields} {:layer 1} {:refines "RuleRead"} ReadV1_5({:linear "tid"} t: Tid, x: Var, c: [Tid]int) returns (ok: bool)
requires {:layer 1} t != nil && c[t] >= 1;
{
  var same: bool;
  var w: Epoch;
  var r: Reads;
  yield;
  call same, r := LookR(x, t, c);
  // Only [Read Same Epoch]: in v1.5, as in 001, sets of reads are looked at under the lock.
  if (same && is#One(r)) { ok := true; yield; return; }
  yield;
  call Lock(t, x);
  call w := LoadW(t, x);
  call r := LoadR(t, x);
  ok := ReadOk(t, c, w, r);
  call StoreR(t, x, ReadNew(t, c, r));
  call Unlock(t, x);
  yield;
}

procedure {:yields} {:layer 1} {:refines "RuleWrite"} WriteV1_5({:linear "tid"} t: Tid, x: Var, c: [Tid]int) returns (ok: bool)
requires {:layer 1} t != nil && c[t] >= 1;
{
  var same: bool;
  var w: Epoch;
  var r: Reads;
  yield;
  call same, w := LookW(x, t, c);
  if (same) { ok := true; yield; return; }
  yield;
  call Lock(t, x);
  call w := LoadW(t, x);
  call r := LoadR(t, x);
  ok := WriteOk(t, c, w, r);
  call ClearR(t, x, c, WriteNewR(t, c, w, r));
  call StoreWUnlock(t, x, Now(t, c));
  yield;
}

// [Read Exclusive] in one step, if what was seen of both words is known and still there.
procedure {:yields} {:layer 1} {:refines "RuleRead"} ReadV2({:linear "tid"} t: Tid, x: Var, c: [Tid]int) returns (ok: bool)
requires {:layer 1} t != nil && c[t] >= 1;
{
  var same: bool;
  var done: bool;
  var w: Epoch;
  var r: Reads;
  yield;
  call same, w := LookW(x, t, c);
  yield;
  call same, r := LookR(x, t, c);
  if (same) { ok := true; yield; return; }
  yield;
  if (is#One(r) && Known(w, c) && Known(epoch#One(r), c)) {
    call done := Replace(x, w, r, w, One(Now(t, c)));
    if (done) { ok := true; yield; return; }
    yield;
  }
  call Lock(t, x);
  call w := LoadW(t, x);
  call r := LoadR(t, x);
  ok := ReadOk(t, c, w, r);
  call StoreR(t, x, ReadNew(t, c, r));
  call Unlock(t, x);
  yield;
}

procedure {:yields} {:layer 1} {:refines "RuleWrite"} WriteV2({:linear "tid"} t: Tid, x: Var, c: [Tid]int) returns (ok: bool)
requires {:layer 1} t != nil && c[t] >= 1;
{
  var same: bool;
  var done: bool;
  var w: Epoch;
  var r: Reads;
  yield;
  call same, w := LookW(x, t, c);
  if (same) { ok := true; yield; return; }
  yield;
  call same, r := LookR(x, t, c);
  yield;
  if (is#One(r) && Known(w, c) && Known(epoch#One(r), c)) {
    call done := Replace(x, w, r, Now(t, c), r);
    if (done) { ok := true; yield; return; }
    yield;
  }
  call Lock(t, x);
  call w := LoadW(t, x);
  call r := LoadR(t, x);
  ok := WriteOk(t, c, w, r);
  call ClearR(t, x, c, WriteNewR(t, c, w, r));
  call StoreWUnlock(t, x, Now(t, c));
  yield;
}

// The handlers of acquire, release, fork and join, entry by entry, as a layered CIVL program: each is atomic, and refines its rule.
//
// The discipline of Section 5 of VerifiedFT is in the gates of the actions: a thread's clock is its own; before it begins it is its forker's, who holds its
// identity; after it has exited anybody may read it, several joiners at once; a lock's clock belongs to whoever holds the lock.

type Lck;
type {:linear "tid"} Tid = int;
const nil: Tid;
axiom nil == -1;
const N: int;           // there are N threads
axiom N >= 0;

function {:builtin "MapConst"} NoTid(bool): [Tid]bool;
function {:inline} {:linear "tid"} TidCollector(t: Tid): [Tid]bool { NoTid(false)[t := true] }

var {:layer 0,2} C: [Tid][Tid]int;
var {:layer 0,2} L: [Lck][Tid]int;
var {:layer 0,2} H: [Lck]Tid;       // who holds the program's lock
var {:layer 0,2} X: [Tid]bool;      // who has exited

function {:inline} Max(a: int, b: int): int { if a < b then b else a }
// The entries below k are joined, or copied.
function Joined(a: [Tid]int, b: [Tid]int, k: int): [Tid]int;
axiom (forall a, b: [Tid]int, k: int, i: Tid :: {Joined(a, b, k)[i]} Joined(a, b, k)[i] == (if 0 <= i && i < k then Max(a[i], b[i]) else a[i]));
function Copied(a: [Tid]int, b: [Tid]int, k: int): [Tid]int;
axiom (forall a, b: [Tid]int, k: int, i: Tid :: {Copied(a, b, k)[i]} Copied(a, b, k)[i] == (if 0 <= i && i < k then b[i] else a[i]));

// ---- Layer 0 -------------------------------------------------------------------------------------------------------------------------

procedure {:both} {:layer 1} AtomicGetC({:linear "tid"} t: Tid, k: Tid) returns (v: int)
{ assert t != nil && !X[t]; v := C[t][k]; }
procedure {:yields} {:layer 0} {:refines "AtomicGetC"} GetC({:linear "tid"} t: Tid, k: Tid) returns (v: int);

procedure {:both} {:layer 1} AtomicSetC({:linear "tid"} t: Tid, k: Tid, v: int)
modifies C;
{ assert t != nil && !X[t]; C[t] := C[t][k := v]; }
procedure {:yields} {:layer 0} {:refines "AtomicSetC"} SetC({:linear "tid"} t: Tid, k: Tid, v: int);

procedure {:both} {:layer 1} AtomicGetExited(u: Tid, k: Tid) returns (v: int)
{ assert X[u]; v := C[u][k]; }
procedure {:yields} {:layer 0} {:refines "AtomicGetExited"} GetExited(u: Tid, k: Tid) returns (v: int);

procedure {:both} {:layer 1} AtomicGetL({:linear "tid"} t: Tid, m: Lck, k: Tid) returns (v: int)
{ assert t != nil && H[m] == t; v := L[m][k]; }
procedure {:yields} {:layer 0} {:refines "AtomicGetL"} GetL({:linear "tid"} t: Tid, m: Lck, k: Tid) returns (v: int);

procedure {:both} {:layer 1} AtomicSetL({:linear "tid"} t: Tid, m: Lck, k: Tid, v: int)
modifies L;
{ assert t != nil && H[m] == t; L[m] := L[m][k := v]; }
procedure {:yields} {:layer 0} {:refines "AtomicSetL"} SetL({:linear "tid"} t: Tid, m: Lck, k: Tid, v: int);

// What the clocks are now, for the invariants of loops.
procedure {:intro} {:inline 1} {:layer 1} ClocksNow() returns (c: [Tid][Tid]int, l: [Lck][Tid]int)
{ c := C; l := L; }

// ---- Layer 2: the rules --------------------------------------------------------------------------------------------------------------

procedure {:atomic} {:layer 2} RuleAcquire({:linear "tid"} t: Tid, m: Lck)
modifies C;
{ assert t != nil && H[m] == t && !X[t]; C[t] := Joined(C[t], L[m], N); }

procedure {:atomic} {:layer 2} RuleRelease({:linear "tid"} t: Tid, m: Lck)
modifies C, L;
{ assert t != nil && H[m] == t && !X[t]; L[m] := Copied(L[m], C[t], N); C[t] := C[t][t := C[t][t] + 1]; }

procedure {:atomic} {:layer 2} RuleFork({:linear "tid"} t: Tid, {:linear "tid"} u: Tid)
modifies C;
{ assert t != nil && u != nil && !X[t] && !X[u]; C[u] := Joined(C[u], C[t], N); C[t] := C[t][t := C[t][t] + 1]; }

procedure {:atomic} {:layer 2} RuleJoin({:linear "tid"} t: Tid, u: Tid)
modifies C;
{ assert t != nil && !X[t] && X[u]; C[t] := Joined(C[t], C[u], N); }

// ---- Layer 1: the handlers -------------------------------------------------------------------------------------------------------------

// The lock's clock joins the thread's.
procedure {:yields} {:layer 1} {:refines "RuleAcquire"} Acquire({:linear "tid"} t: Tid, m: Lck)
requires {:layer 1} t != nil && H[m] == t && !X[t];
{
  var k, a, b: int;
  var {:layer 1} c: [Tid][Tid]int;
  var {:layer 1} l: [Lck][Tid]int;
  yield;
  assert {:layer 1} t != nil && H[m] == t && !X[t];
  call c, l := ClocksNow();
  k := 0;
  assert {:layer 1} Joined(c[t], l[m], 0) == c[t];
  while (k < N)
  invariant {:terminates} {:layer 0,1} true;
  invariant {:layer 1} 0 <= k && k <= N && t != nil && H[m] == t && !X[t];
  invariant {:layer 1} C == c[t := Joined(c[t], l[m], k)] && L == l;
  {
    call a := GetC(t, k);
    call b := GetL(t, m, k);
    call SetC(t, k, Max(a, b));
    assert {:layer 1} Joined(c[t], l[m], k)[k := Max(c[t][k], l[m][k])] == Joined(c[t], l[m], k + 1);
    k := k + 1;
  }
  yield;
}

// The thread's clock becomes the lock's, and the thread's time goes on.
procedure {:yields} {:layer 1} {:refines "RuleRelease"} Release({:linear "tid"} t: Tid, m: Lck)
requires {:layer 1} t != nil && H[m] == t && !X[t];
{
  var k, a: int;
  var {:layer 1} c: [Tid][Tid]int;
  var {:layer 1} l: [Lck][Tid]int;
  yield;
  assert {:layer 1} t != nil && H[m] == t && !X[t];
  call c, l := ClocksNow();
  k := 0;
  assert {:layer 1} Copied(l[m], c[t], 0) == l[m];
  while (k < N)
  invariant {:terminates} {:layer 0,1} true;
  invariant {:layer 1} 0 <= k && k <= N && t != nil && H[m] == t && !X[t];
  invariant {:layer 1} L == l[m := Copied(l[m], c[t], k)] && C == c;
  {
    call a := GetC(t, k);
    call SetL(t, m, k, a);
    assert {:layer 1} Copied(l[m], c[t], k)[k := c[t][k]] == Copied(l[m], c[t], k + 1);
    k := k + 1;
  }
  call a := GetC(t, t);
  call SetC(t, t, a + 1);
  yield;
}

// The forker's clock joins that of the child, who has not begun: its identity is still the forker's to hold.
procedure {:yields} {:layer 1} {:refines "RuleFork"} Fork({:linear "tid"} t: Tid, {:linear "tid"} u: Tid)
requires {:layer 1} t != nil && u != nil && !X[t] && !X[u];
{
  var k, a, b: int;
  var {:layer 1} c: [Tid][Tid]int;
  var {:layer 1} l: [Lck][Tid]int;
  yield;
  assert {:layer 1} t != nil && u != nil && !X[t] && !X[u];
  call c, l := ClocksNow();
  k := 0;
  assert {:layer 1} Joined(c[u], c[t], 0) == c[u];
  while (k < N)
  invariant {:terminates} {:layer 0,1} true;
  invariant {:layer 1} 0 <= k && k <= N && t != nil && u != nil && t != u && !X[t] && !X[u];
  invariant {:layer 1} C == c[u := Joined(c[u], c[t], k)];
  {
    call a := GetC(u, k);
    call b := GetC(t, k);
    call SetC(u, k, Max(a, b));
    assert {:layer 1} Joined(c[u], c[t], k)[k := Max(c[u][k], c[t][k])] == Joined(c[u], c[t], k + 1);
    k := k + 1;
  }
  call a := GetC(t, t);
  call SetC(t, t, a + 1);
  yield;
}

// The clock of a thread that has exited joins the joiner's; it is only read, so that several may join at once.
procedure {:yields} {:layer 1} {:refines "RuleJoin"} Join({:linear "tid"} t: Tid, u: Tid)
requires {:layer 1} t != nil && !X[t] && X[u];
{
  var k, a, b: int;
  var {:layer 1} c: [Tid][Tid]int;
  var {:layer 1} l: [Lck][Tid]int;
  yield;
  assert {:layer 1} t != nil && !X[t] && X[u];
  call c, l := ClocksNow();
  k := 0;
  assert {:layer 1} Joined(c[t], c[u], 0) == c[t];
  while (k < N)
  invariant {:terminates} {:layer 0,1} true;
  invariant {:layer 1} 0 <= k && k <= N && t != nil && !X[t] && X[u];
  invariant {:layer 1} C == c[t := Joined(c[t], c[u], k)];
  {
    call a := GetC(t, k);
    call b := GetExited(u, k);
    call SetC(t, k, Max(a, b));
    assert {:layer 1} Joined(c[t], c[u], k)[k := Max(c[t][k], c[u][k])] == Joined(c[t], c[u], k + 1);
    k := k + 1;
  }
  yield;
}

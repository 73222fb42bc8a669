(** The concurrent handlers v1, v1.5 and v2 (001, Figures 3 and 4, as `crates/online` has them) as interleaved small steps, for all variables, with the handlers of synchronisation. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors OnlineRules.

(** How far a handler may go before it locks the variable. *)
Inductive version := V1 | V1_5 | V2.

(** ** One variable *)

(** W, R, and who has the lock (in the code a bit of W). Sets of reads are immutable values here: what names a set, names one value for
    ever. That reading one's own entry of a set without the lock gives what the name stands for, or fails, is the code's business. *)
Record vmem := mkM { mW : epoch; mR : reads; mK : option tid }.

(** Where a thread is. [w = true] for writes. *)
Inductive pc :=
| Idle | Ret (b : bool)
| PA (w : bool) (x : var)                                (* about to look at W *)
| PB (w : bool) (x : var) (e : epoch) (free : bool)      (* saw W, and whether it was unlocked; about to look at R *)
| PC (w : bool) (x : var) (e : epoch) (r : epoch)        (* knows both; about to replace W and R at once *)
| PL (w : bool) (x : var)                                (* about to lock *)
| PM (w : bool) (x : var) (e : epoch)                    (* has the lock, and W *)
| PN (w : bool) (x : var) (e : epoch) (r : reads)        (* has R too; about to store R *)
| PU (w : bool) (x : var) (e : epoch) (r : reads)        (* about to store W and unlock, which is one store *)
| SAcq (m : lock) (k : nat) | SRel (m : lock) (k : nat) | SRelU (m : lock) | SFork (u : tid) (k : nat) | SJoin (u : tid) (k : nat).

Definition rule (w : bool) := if w then o_wr else o_rd.
Definition access (w : bool) (t : tid) (x : var) : op := if w then Wr t x else Rd t x.
Definition pvar (p : pc) : option (bool * var) :=
  match p with
  | PA w x | PB w x _ _ | PC w x _ _ | PL w x | PM w x _ | PN w x _ _ | PU w x _ _ => Some (w, x)
  | _ => None
  end.

(** One step of thread t, whose clock is c. [Some b]: here the access takes effect, with that verdict. v1 and v1.5 are v2 without some steps. *)
Inductive acc_step (ver : version) (c : vc) (t : tid) (m : vmem) : pc -> option bool -> vmem -> pc -> Prop :=
| A_Look w x : ver <> V1 ->
    acc_step ver c t m (PA w x) None m (PB w x (mW m) (match mK m with None => true | _ => false end))
| A_WriteSameEpoch x : ver <> V1 -> mK m = None -> mW m = (t, c t) -> acc_step ver c t m (PA true x) (Some true) m (Ret true)
| A_GoLock w x : acc_step ver c t m (PA w x) None m (PL w x)
| A_ReadSameEpoch x e f : ver <> V1 -> mR m = RE (t, c t) -> acc_step ver c t m (PB false x e f) (Some true) m (Ret true)
| A_ReadSharedSameEpoch x e f v : ver = V2 -> mR m = RS v -> lget v t = c t ->
    acc_step ver c t m (PB false x e f) (Some true) m (Ret true)
| A_Exclusive w x e r : ver = V2 -> mR m = RE r -> ele e c = true -> ele r c = true ->
    acc_step ver c t m (PB w x e true) None m (PC w x e r)
| A_Miss w x e f : acc_step ver c t m (PB w x e f) None m (PL w x)
| A_Replace w x e r : mK m = None -> mW m = e -> mR m = RE r ->
    acc_step ver c t m (PC w x e r) (Some true) (if w then mkM (t, c t) (RE r) None else mkM e (RE (t, c t)) None) (Ret true)
| A_ReplaceFails w x e r : acc_step ver c t m (PC w x e r) None m (PL w x)
| A_Lock w x : mK m = None -> acc_step ver c t m (PL w x) None (mkM (mW m) (mR m) (Some t)) (PM w x (mW m))
| A_LoadR w x e : acc_step ver c t m (PM w x e) None m (PN w x e (mR m))
| A_StoreR w x e r : acc_step ver c t m (PN w x e r) (if w then None else Some (snd (rule w c t (mkO e r))))
    (mkM (mW m) (oR (fst (rule w c t (mkO e r)))) (mK m)) (PU w x e r)
| A_Unlock w x e r : acc_step ver c t m (PU w x e r) (if w then Some (snd (rule w c t (mkO e r))) else None)
    (mkM (oW (fst (rule w c t (mkO e r)))) (mR m) None) (Ret (snd (rule w c t (mkO e r)))).

(** ** All of it *)

(** A thread has not begun, is being forked by another, runs, or has exited. *)
Inductive status := New | Forking (by_ : tid) | Running | Exited.

Record gstate := mkG {
  gC : tid -> vc;                (* the threads' clocks *)
  gL : lock -> vc;               (* the locks' clocks *)
  gV : var -> vmem;              (* the variables *)
  gP : tid -> pc;
  gH : lock -> option tid;       (* who holds the program's lock *)
  gS : tid -> status }.

(** What happens: a handler is called, takes effect, returns. *)
Inductive hev := HInv (t : tid) (a : op) | HLin (a : op) (b : bool) | HRet (t : tid) (b : bool).

Section Model.
Variable ver : version.
(** There are at most N threads; handlers of synchronisation walk over N entries, one a step. *)
Variable N : nat.

(** The discipline of 001 Section 5 is in the premises: the handler of an acquire runs when the program has the lock and that of a release
    while it still has it; a thread is forked before it begins, by one other; it is joined, possibly by several at once, after it has exited. *)
Inductive gstep (g : gstate) : list hev -> gstate -> Prop :=
| G_Access t w x : t < N -> gP g t = Idle -> gS g t = Running ->
    gstep g [HInv t (access w t x)] (mkG (gC g) (gL g) (gV g) (upd (gP g) t (PA w x)) (gH g) (gS g))
| G_Step t w x o m' p' : pvar (gP g t) = Some (w, x) -> acc_step ver (gC g t) t (gV g x) (gP g t) o m' p' ->
    gstep g (match o with Some b => [HLin (access w t x) b] | None => [] end)
      (mkG (gC g) (gL g) (upd (gV g) x m') (upd (gP g) t p') (gH g) (gS g))
| G_Acq t m : t < N -> gP g t = Idle -> gS g t = Running -> gH g m = None ->
    gstep g [HInv t (Acq t m)] (mkG (gC g) (gL g) (gV g) (upd (gP g) t (SAcq m 0)) (upd (gH g) m (Some t)) (gS g))
| G_AcqEntry t m k : gP g t = SAcq m k -> k < N ->
    gstep g [] (mkG (upd (gC g) t (upd (gC g t) k (Nat.max (gC g t k) (gL g m k)))) (gL g) (gV g) (upd (gP g) t (SAcq m (S k))) (gH g) (gS g))
| G_AcqDone t m : gP g t = SAcq m N ->
    gstep g [HLin (Acq t m) true] (mkG (gC g) (gL g) (gV g) (upd (gP g) t (Ret true)) (gH g) (gS g))
| G_Rel t m : t < N -> gP g t = Idle -> gS g t = Running -> gH g m = Some t ->
    gstep g [HInv t (Rel t m)] (mkG (gC g) (gL g) (gV g) (upd (gP g) t (SRel m 0)) (gH g) (gS g))
| G_RelEntry t m k : gP g t = SRel m k -> k < N ->
    gstep g [] (mkG (gC g) (upd (gL g) m (upd (gL g m) k (gC g t k))) (gV g) (upd (gP g) t (SRel m (S k))) (gH g) (gS g))
| G_RelDone t m : gP g t = SRel m N ->
    gstep g [HLin (Rel t m) true] (mkG (upd (gC g) t (vinc t (gC g t))) (gL g) (gV g) (upd (gP g) t (SRelU m)) (gH g) (gS g))
| G_RelUnlock t m : gP g t = SRelU m ->
    gstep g [] (mkG (gC g) (gL g) (gV g) (upd (gP g) t (Ret true)) (upd (gH g) m None) (gS g))
| G_Fork t u : t < N -> u < N -> gP g t = Idle -> gS g t = Running -> gS g u = New ->
    gstep g [HInv t (Fork t u)] (mkG (gC g) (gL g) (gV g) (upd (gP g) t (SFork u 0)) (gH g) (upd (gS g) u (Forking t)))
| G_ForkEntry t u k : gP g t = SFork u k -> k < N ->
    gstep g [] (mkG (upd (gC g) u (upd (gC g u) k (Nat.max (gC g u k) (gC g t k)))) (gL g) (gV g) (upd (gP g) t (SFork u (S k))) (gH g) (gS g))
| G_ForkDone t u : gP g t = SFork u N ->
    gstep g [HLin (Fork t u) true] (mkG (upd (gC g) t (vinc t (gC g t))) (gL g) (gV g) (upd (gP g) t (Ret true)) (gH g) (upd (gS g) u Running))
| G_Join t u : t < N -> u < N -> gP g t = Idle -> gS g t = Running -> gS g u = Exited ->
    gstep g [HInv t (Join t u)] (mkG (gC g) (gL g) (gV g) (upd (gP g) t (SJoin u 0)) (gH g) (gS g))
| G_JoinEntry t u k : gP g t = SJoin u k -> k < N ->
    gstep g [] (mkG (upd (gC g) t (upd (gC g t) k (Nat.max (gC g t k) (gC g u k)))) (gL g) (gV g) (upd (gP g) t (SJoin u (S k))) (gH g) (gS g))
| G_JoinDone t u : gP g t = SJoin u N ->
    gstep g [HLin (Join t u) true] (mkG (gC g) (gL g) (gV g) (upd (gP g) t (Ret true)) (gH g) (gS g))
| G_Exit t : t < N -> gP g t = Idle -> gS g t = Running ->
    gstep g [HInv t (Exit t); HLin (Exit t) true; HRet t true] (mkG (gC g) (gL g) (gV g) (gP g) (gH g) (upd (gS g) t Exited))
| G_Return t b : gP g t = Ret b ->
    gstep g [HRet t b] (mkG (gC g) (gL g) (gV g) (upd (gP g) t Idle) (gH g) (gS g)).

(** Any threads may run from the beginning; the others have to be forked. *)
Definition ginit (begun : tid -> bool) : gstate :=
  mkG (C sync0) (L sync0) (fun _ => mkM ebot (RE ebot) None) (fun _ => Idle) (fun _ => None) (fun t => if begun t then Running else New).

Inductive greach (begun : tid -> bool) : gstate -> list hev -> Prop :=
| gr_init : greach begun (ginit begun) []
| gr_step g h e g' : greach begun g h -> gstep g e g' -> greach begun g' (h ++ e).
End Model.

(** The trace of a history: its operations in the order in which they took effect. *)
Fixpoint lins (h : list hev) : trace :=
  match h with [] => [] | HLin a _ :: r => a :: lins r | _ :: r => lins r end.

(** Each thread's part of a history is a sequence of calls: called, taken effect, returned what it came to. *)
Inductive phase := QIdle | QCalled (a : op) | QDone (b : bool) | QBad.
Definition op_eqb (a b : op) : bool :=
  match a, b with
  | Rd t x, Rd u y | Wr t x, Wr u y | Acq t x, Acq u y | Rel t x, Rel u y | Fork t x, Fork u y | Join t x, Join u y => (t =? u) && (x =? y)
  | Exit t, Exit u => t =? u
  | _, _ => false
  end.
Definition next_phase (t : tid) (q : phase) (e : hev) : phase :=
  match e with
  | HInv u a => if u =? t then match q with QIdle => if thr a =? t then QCalled a else QBad | _ => QBad end else q
  | HLin a b => if thr a =? t then match q with QCalled a' => if op_eqb a a' then QDone b else QBad | _ => QBad end else q
  | HRet u b => if u =? t then match q with QDone b' => if Bool.eqb b b' then QIdle else QBad | _ => QBad end else q
  end.
Definition phase_of (t : tid) (h : list hev) : phase := fold_left (next_phase t) h QIdle.
Definition well_formed_history (h : list hev) : Prop := forall t, phase_of t h <> QBad.

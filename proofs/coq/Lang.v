(** The language of 000, Section 4.1, with the small-step semantics of Figure 7, and the traces of its runs. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks.

(** ** Syntax *)

(** Local variables. Two are set aside for the instrumentation (Section 4.2); programs have no name for them. *)
Inductive local := U (a : nat) | Tmp1 | Tmp2.

(** Memory: the program's variables and locks, and what Sections 4.2 and 4.3 set aside beside them: the blocks C[t], L[m], R[x], W[x] with an
    offset for each thread, and the lock X[x]. *)
Inductive loc :=
| Var (x : var) | Lk (m : lock)
| MC (t : tid) (o : nat) | ML (m : lock) (o : nat) | MR (x : var) (o : nat) | MW (x : var) (o : nat) | MX (x : var).

Inductive expr := Num (n : nat) | Get (a : local) | Plus (e1 e2 : expr) | Max (e1 e2 : expr).

Inductive instr :=
| Assign (a : local) (e : expr)
| Load (a : local) (p : loc) | Store (e : expr) (p : loc)
| Lock (p : loc) | Unlock (p : loc)
| Spawn (u : tid) (li : list instr) | Wait (u : tid)
| Assert (e1 e2 : expr).            (* assert (e1 <= e2) *)

Lemma local_dec (a b : local) : {a = b} + {a <> b}.
Proof. decide equality; apply Nat.eq_dec. Defined.
Lemma loc_dec (p q : loc) : {p = q} + {p <> q}.
Proof. decide equality; apply Nat.eq_dec. Defined.

(** ** States *)

Definition env := local -> nat.
Definition mem := loc -> nat.
Definition G0 : env := fun _ => 0.
Definition setv (G : env) (a : local) (n : nat) : env := fun b => if local_dec b a then n else G b.
Definition setm (m : mem) (p : loc) (n : nat) : mem := fun q => if loc_dec q p then n else m q.

Fixpoint eval (G : env) (e : expr) : nat :=
  match e with
  | Num n => n
  | Get a => G a
  | Plus e1 e2 => eval G e1 + eval G e2
  | Max e1 e2 => Nat.max (eval G e1) (eval G e2)
  end.

(** The threads that there are, each with what it still has to do and its environment. *)
Definition pool := tid -> option (list instr * env).

(** A state, or the error state for failed assertions. *)
Inductive outcome := Good (P : pool) (m : mem) | Err.

Definition init (prog : list instr) : pool := upd (fun _ => None) 0 (Some (prog, G0)).

Definition m0 : mem := fun _ => 0.

Definition final (P : pool) : Prop := forall t li G, P t = Some (li, G) -> li = [].

(** ** Figure 7 *)

(** Operations are those on the program's own variables and locks; what the instrumentation does on its blocks has no label ("omitted" in the paper). *)
Definition on_var (p : loc) (o : var -> op) : option op := match p with Var x => Some (o x) | _ => None end.
Definition on_lock (p : loc) (o : lock -> op) : option op := match p with Lk m => Some (o m) | _ => None end.

(** "We assume a strict separation between locks and normal memory locations": stores do not change locks. *)
Definition is_lock (p : loc) : bool := match p with Lk _ | MX _ => true | _ => false end.

Inductive step (t : tid) (P : pool) (m : mem) : option op -> outcome -> Prop :=
| S_Assign a e li G : P t = Some (Assign a e :: li, G) ->
    step t P m None (Good (upd P t (Some (li, setv G a (eval G e)))) m)
| S_Load a p li G : P t = Some (Load a p :: li, G) ->
    step t P m (on_var p (Rd t)) (Good (upd P t (Some (li, setv G a (m p)))) m)
| S_Store e p li G : P t = Some (Store e p :: li, G) -> is_lock p = false ->
    step t P m (on_var p (Wr t)) (Good (upd P t (Some (li, G))) (setm m p (eval G e)))
| S_Lock p li G : P t = Some (Lock p :: li, G) -> m p = 0 ->
    step t P m (on_lock p (Acq t)) (Good (upd P t (Some (li, G))) (setm m p (S t)))
| S_Unlock p li G : P t = Some (Unlock p :: li, G) -> m p = S t ->
    step t P m (on_lock p (Rel t)) (Good (upd P t (Some (li, G))) (setm m p 0))
| S_Spawn u li' li G : P t = Some (Spawn u li' :: li, G) -> P u = None ->
    step t P m (Some (Fork t u)) (Good (upd (upd P t (Some (li, G))) u (Some (li', G0))) m)
| S_Wait u li G G' : P t = Some (Wait u :: li, G) -> P u = Some ([], G') ->
    step t P m (Some (Join t u)) (Good (upd P t (Some (li, G))) m)
| S_Assert e1 e2 li G : P t = Some (Assert e1 e2 :: li, G) -> eval G e1 <= eval G e2 ->
    step t P m None (Good (upd P t (Some (li, G))) m)
| S_AssertFails e1 e2 li G : P t = Some (Assert e1 e2 :: li, G) -> eval G e2 < eval G e1 ->
    step t P m None Err.

Definition label (o : option op) : trace := match o with Some a => [a] | None => [] end.

(** Runs, with the operations that they produce. *)
Inductive steps (P0 : pool) (m0 : mem) : trace -> pool -> mem -> Prop :=
| steps_nil : steps P0 m0 [] P0 m0
| steps_snoc tr P m t o P' m' : steps P0 m0 tr P m -> step t P m o (Good P' m') -> steps P0 m0 (tr ++ label o) P' m'.

(** Runs of one thread t, as far as that thread goes: the star in (P, m) ->_t* R. *)
Inductive tsteps (t : tid) : pool -> mem -> outcome -> Prop :=
| ts_nil P m : tsteps t P m (Good P m)
| ts_err P m o : step t P m o Err -> tsteps t P m Err
| ts_cons P m o P' m' R : step t P m o (Good P' m') -> tsteps t P' m' R -> tsteps t P m R.

(** ** Traces of runs are feasible *)

Record TInv (tr : trace) (P : pool) (m : mem) : Prop := {
  ti_holder : forall l, m (Lk l) = match holder tr l with Some t => S t | None => 0 end;
  ti_joined : forall u, joined tr u -> exists G, P u = Some ([], G) }.

Lemma upd_same {A} (f : nat -> A) k v : upd f k v k = v.
Proof. unfold upd. now rewrite Nat.eqb_refl. Qed.
Lemma upd_other {A} (f : nat -> A) k v k' : k' <> k -> upd f k v k' = f k'.
Proof. intros H. unfold upd. apply Nat.eqb_neq in H. now rewrite H. Qed.
Lemma setm_same m p n : setm m p n p = n.
Proof. unfold setm. destruct (loc_dec p p); congruence. Qed.
Lemma setm_other m p n q : q <> p -> setm m p n q = m q.
Proof. unfold setm. destruct (loc_dec q p); congruence. Qed.
Lemma setv_same G a n : setv G a n a = n.
Proof. unfold setv. destruct (local_dec a a); congruence. Qed.
Lemma setv_other G a n b : b <> a -> setv G a n b = G b.
Proof. unfold setv. destruct (local_dec b a); congruence. Qed.

(** What a thread's step does to the pool: its own entry changes, and a new thread may appear. *)
Lemma step_pool t P m o P' m' : step t P m o (Good P' m') ->
  exists i li G, P t = Some (i :: li, G) /\
  (forall v, v <> t -> P v <> None -> P' v = P v).
Proof.
  intros St. inversion St as [a e li G Hp|a p li G Hp|e p li G Hp Hk|p li G Hp Hm|p li G Hp Hm|u li' li G Hp Hu|u li G G' Hp Hu|e1 e2 li G Hp He|]; subst;
  (eexists; eexists; eexists; split; [exact Hp|]); intros v Hv Hn; rewrite ?upd_other by auto; auto.
  destruct (Nat.eq_dec v u) as [->|]; [congruence|]. now rewrite !upd_other.
Qed.

Lemma step_feasible t P m o P' m' tr : step t P m o (Good P' m') -> feasible tr -> TInv tr P m ->
  feasible (tr ++ label o) /\ TInv (tr ++ label o) P' m'.
Proof.
  intros St F [Hh Hj].
  assert (Nj : ~ joined tr t).
  { intros K. apply Hj in K as [G K]. destruct (step_pool _ _ _ _ _ _ St) as (i & li & G' & Hp & _). congruence. }
  assert (J' : forall u, joined tr u -> exists G, P' u = Some ([], G)).
  { intros u K. destruct (Hj u K) as [G Hu]. exists G. rewrite <- Hu.
    destruct (step_pool _ _ _ _ _ _ St) as (i & li & G' & Hp & Ho). apply Ho; [|congruence]. intros ->. congruence. }
  assert (Ext : forall a, o = Some a -> thr a = t -> (match a with Acq t m => holder tr m = None | Rel t m => holder tr m = Some t | _ => True end) ->
    (forall u, (exists v, a = Join v u) -> exists G, P' u = Some ([], G)) ->
    (forall l, m' (Lk l) = match holder (tr ++ [a]) l with Some t => S t | None => 0 end) ->
    feasible (tr ++ label o) /\ TInv (tr ++ label o) P' m').
  { intros a -> Ht Hok Hjn Hl. simpl. split; [constructor; auto; split; [now rewrite Ht|auto]|].
    constructor; auto. intros u K. apply joined_snoc in K as [K|K]; auto. }
  assert (Hnone : o = None -> (forall l, m' (Lk l) = m (Lk l)) -> feasible (tr ++ label o) /\ TInv (tr ++ label o) P' m').
  { intros -> Hl. simpl. rewrite app_nil_r. split; auto. constructor; auto. intros l. now rewrite Hl. }
  inversion St as [a e li G Hp|a p li G Hp|e p li G Hp Hk|p li G Hp Hm|p li G Hp Hm|u li' li G Hp Hu|u li G G' Hp Hu|e1 e2 li G Hp He|]; subst.
  - apply Hnone; auto.
  - destruct p; simpl in *; try (apply Hnone; auto; fail).
    apply (Ext _ eq_refl); simpl; auto; [intros u [v K]; discriminate|]. intros l. rewrite holder_snoc. apply Hh.
  - destruct p; simpl in *; try discriminate; try (apply Hnone; [reflexivity|intros l; apply setm_other; discriminate]).
    apply (Ext _ eq_refl); simpl; auto; [intros u [v K]; discriminate|]. intros l. rewrite holder_snoc, setm_other by discriminate. apply Hh.
  - destruct p as [| l0 | | | | |]; simpl in *; try (apply Hnone; [reflexivity|intros l; apply setm_other; discriminate]).
    apply (Ext _ eq_refl); simpl; auto; [rewrite Hh in Hm; destruct (holder tr l0); auto; discriminate|intros u [v K]; discriminate|].
    intros l. rewrite holder_snoc. simpl. destruct (Nat.eqb_spec l0 l) as [->|Hne]; [apply setm_same|].
    rewrite setm_other by congruence. apply Hh.
  - destruct p as [| l0 | | | | |]; simpl in *; try (apply Hnone; [reflexivity|intros l; apply setm_other; discriminate]).
    apply (Ext _ eq_refl); simpl; auto; [rewrite Hh in Hm; destruct (holder tr l0); [congruence|discriminate]|intros u [v K]; discriminate|].
    intros l. rewrite holder_snoc. simpl. destruct (Nat.eqb_spec l0 l) as [->|Hne]; [apply setm_same|].
    rewrite setm_other by congruence. apply Hh.
  - apply (Ext _ eq_refl); simpl; auto; [intros v [w K]; discriminate|]. intros l. rewrite holder_snoc. apply Hh.
  - apply (Ext _ eq_refl); simpl; auto; [|intros l; rewrite holder_snoc; apply Hh].
    intros v [w K]. injection K as <- <-. exists G'. rewrite upd_other; [auto|]. intros ->. congruence.
  - apply Hnone; auto.
Qed.

Lemma steps_feasible prog tr P m : steps (init prog) m0 tr P m -> feasible tr /\ TInv tr P m.
Proof.
  induction 1 as [|tr P m t o P' m' H [IF II] St].
  - split; constructor; [reflexivity|]. intros u [t []].
  - eapply step_feasible; eauto.
Qed.

(** Traces with locks, threads and channels, and their happens-before, in which an operation has a start and a completion (004, Section 2). *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace.

Definition chan := nat.

(** [Rend t u c] is a whole rendezvous of sender t and receiver u on a channel of capacity 0, one step as in 004's R-Rend. *)
Inductive cop : Type :=
| CRd (t : tid) (x : var) | CWr (t : tid) (x : var)
| CAcq (t : tid) (m : lock) | CRel (t : tid) (m : lock)
| CFork (t u : tid) | CJoin (t u : tid)
| CSend (t : tid) (c : chan) | CRecv (t : tid) (c : chan) | CRend (t u : tid) (c : chan)
| CClose (t : tid) (c : chan) | CRecvClosed (t : tid) (c : chan).
Definition ctrace := list cop.

(** The operation is a step of thread t; of a rendezvous two threads take part. *)
Definition acts (a : cop) (v : tid) : Prop :=
  match a with
  | CRd t _ | CWr t _ | CAcq t _ | CRel t _ | CFork t _ | CJoin t _ | CSend t _ | CRecv t _ | CClose t _ | CRecvClosed t _ => v = t
  | CRend t u _ => v = t \/ v = u
  end.

Definition is_send (c : chan) (a : cop) : bool := match a with CSend _ c' => c' =? c | _ => false end.
Definition is_recv (c : chan) (a : cop) : bool := match a with CRecv _ c' => c' =? c | _ => false end.
Definition nsends (tr : ctrace) (c : chan) : nat := length (filter (is_send c) tr).
Definition nrecvs (tr : ctrace) (c : chan) : nat := length (filter (is_recv c) tr).

Fixpoint cholder_from (h : option tid) (m : lock) (tr : ctrace) : option tid :=
  match tr with
  | [] => h
  | CAcq t m' :: r => cholder_from (if m' =? m then Some t else h) m r
  | CRel _ m' :: r => cholder_from (if m' =? m then None else h) m r
  | _ :: r => cholder_from h m r
  end.
Definition cholder (tr : ctrace) (m : lock) := cholder_from None m tr.
Definition cjoined (tr : ctrace) (u : tid) := exists t, In (CJoin t u) tr.
Definition closed (tr : ctrace) (c : chan) := exists t, In (CClose t c) tr.

Section Channels.
(** The capacity of each channel: what its making says, and nothing else does. *)
Variable cap : chan -> nat.

(** ** Feasibility: a buffer holds at most its capacity, a value is sent before it is received, a channel is closed once *)
Definition cok (tr : ctrace) (a : cop) : Prop :=
  (forall t, acts a t -> ~ cjoined tr t) /\
  match a with
  | CAcq t m => cholder tr m = None
  | CRel t m => cholder tr m = Some t
  | CSend t c => ~ closed tr c /\ nsends tr c < nrecvs tr c + cap c
  | CRecv t c => nrecvs tr c < nsends tr c
  | CRend t u c => t <> u /\ cap c = 0 /\ ~ closed tr c
  | CClose t c => ~ closed tr c
  | CRecvClosed t c => closed tr c /\ nrecvs tr c = nsends tr c
  | _ => True
  end.
Inductive cfeasible : ctrace -> Prop :=
| cf_nil : cfeasible []
| cf_snoc tr a : cfeasible tr -> cok tr a -> cfeasible (tr ++ [a]).

(** ** Happens-before *)
Inductive node := St (i : nat) | Co (i : nat).

(** [orders tr i j]: an edge from the start of the operation at i to the completion of the one at j. Operations on a channel are numbered
    from 0: [nsends (firstn i tr) c] is the number of a send at i. *)
Inductive orders (tr : ctrace) (i j : nat) : Prop :=
| o_lock t u m : nth_error tr i = Some (CRel t m) -> nth_error tr j = Some (CAcq u m) -> orders tr i j
| o_fork_join t t' u : nth_error tr i = Some (CFork t u) -> nth_error tr j = Some (CJoin t' u) -> orders tr i j
| o_send t u c : nth_error tr i = Some (CSend t c) -> nth_error tr j = Some (CRecv u c) ->
    nsends (firstn i tr) c = nrecvs (firstn j tr) c -> orders tr i j                 (* rule (1) *)
| o_slot t u c : nth_error tr i = Some (CRecv t c) -> nth_error tr j = Some (CSend u c) ->
    nrecvs (firstn i tr) c + cap c = nsends (firstn j tr) c -> orders tr i j         (* rule (2) *)
| o_close t u c : nth_error tr i = Some (CClose t c) -> nth_error tr j = Some (CRecvClosed u c) -> orders tr i j.

Inductive dedge (tr : ctrace) : node -> node -> Prop :=
| e_self i : i < length tr -> dedge tr (St i) (Co i)
| e_po i j a b t : i < j -> nth_error tr i = Some a -> nth_error tr j = Some b -> acts a t -> acts b t -> dedge tr (Co i) (St j)
| e_fork i j t u b : i < j -> nth_error tr i = Some (CFork t u) -> nth_error tr j = Some b -> acts b u -> dedge tr (St i) (St j)
| e_join i j a t u : i < j -> nth_error tr i = Some a -> nth_error tr j = Some (CJoin t u) -> acts a u -> dedge tr (Co i) (Co j)
| e_sync i j : i < j -> orders tr i j -> dedge tr (St i) (Co j).

Inductive reach (tr : ctrace) : node -> node -> Prop :=
| r_refl n : reach tr n n
| r_step n p q : reach tr n p -> dedge tr p q -> reach tr n q.

(** i happens before j: its start comes before j's completion. *)
Definition chb (tr : ctrace) (i j : nat) : Prop := i <> j /\ reach tr (St i) (Co j).

(** ** Races; with [reads = false] only those whose earlier access is a write (004, Section 3.3) *)
Definition cconflict (reads : bool) (x : var) (a b : cop) : Prop :=
  match a, b with
  | CWr _ y, CRd _ z | CWr _ y, CWr _ z => y = x /\ z = x
  | CRd _ y, CWr _ z => reads = true /\ y = x /\ z = x
  | _, _ => False
  end.
Definition crace_at (reads : bool) (tr : ctrace) (x : var) (j : nat) : Prop :=
  exists i a b, i < j /\ nth_error tr i = Some a /\ nth_error tr j = Some b /\ cconflict reads x a b /\ ~ chb tr i j.
Definition crace_on (reads : bool) (tr : ctrace) (x : var) : Prop := exists j, crace_at reads tr x j.

(** ** Appending an operation *)
Definition idx (n : node) := match n with St i | Co i => i end.

Lemma dedge_idx tr p q : dedge tr p q -> idx p <= idx q /\ idx q < length tr.
Proof.
  intros D; inversion D; subst; simpl; try (split; [lia|]; eauto using nth_error_lt; fail).
  split; [lia|]. inversion H0; eauto using nth_error_lt.
Qed.

Lemma firstn_snoc {A} (l : list A) a i : i <= length l -> firstn i (l ++ [a]) = firstn i l.
Proof. intros H. rewrite firstn_app. replace (i - length l) with 0 by lia. simpl. now rewrite app_nil_r. Qed.

Lemma orders_snoc tr a i j : i < length tr -> j < length tr -> (orders (tr ++ [a]) i j <-> orders tr i j).
Proof.
  intros Hi Hj. split; intros O; inversion O;
  rewrite ?nth_error_snoc_lt, ?firstn_snoc in * by lia;
  [eapply o_lock|eapply o_fork_join|eapply o_send|eapply o_slot|eapply o_close
  |eapply o_lock|eapply o_fork_join|eapply o_send|eapply o_slot|eapply o_close];
  rewrite ?nth_error_snoc_lt, ?firstn_snoc by lia; eauto.
Qed.

Lemma dedge_snoc tr a p q : idx q < length tr -> (dedge (tr ++ [a]) p q <-> dedge tr p q).
Proof.
  intros Hq. split; intros D; inversion D; subst; simpl in Hq;
  rewrite ?nth_error_snoc_lt in * by lia;
  [apply e_self|eapply e_po|eapply e_fork|eapply e_join|apply e_sync
  |apply e_self|eapply e_po|eapply e_fork|eapply e_join|apply e_sync];
  rewrite ?nth_error_snoc_lt by lia; eauto; try lia; try (rewrite ?app_length; simpl; lia);
  try (apply (orders_snoc tr a); auto; lia).
Qed.

Lemma reach_idx tr n q : reach tr n q -> idx n <= idx q.
Proof. induction 1 as [|n p q H IH D]; [lia|]. apply dedge_idx in D. lia. Qed.

Lemma reach_trans tr a b c : reach tr a b -> reach tr b c -> reach tr a c.
Proof. intros H1 H2. revert H1. induction H2 as [|n p q H IH D]; intros H1; [exact H1|]. eapply r_step; [apply IH; exact H1|exact D]. Qed.

Lemma reach_snoc_old tr a n q : idx q < length tr -> (reach (tr ++ [a]) n q <-> reach tr n q).
Proof.
  intros Hq. split; intros H.
  - induction H as [|n p q H IH D]; [constructor|]. apply dedge_snoc in D; auto. eapply r_step; eauto.
    apply IH. apply dedge_idx in D. lia.
  - induction H as [|n p q H IH D]; [constructor|]. eapply r_step; [apply IH; apply dedge_idx in D; lia|].
    apply dedge_snoc; auto.
Qed.

Lemma nsends_snoc tr a c : nsends (tr ++ [a]) c = nsends tr c + (if is_send c a then 1 else 0).
Proof. unfold nsends. rewrite filter_app, app_length. simpl. destruct (is_send c a); simpl; lia. Qed.
Lemma nrecvs_snoc tr a c : nrecvs (tr ++ [a]) c = nrecvs tr c + (if is_recv c a then 1 else 0).
Proof. unfold nrecvs. rewrite filter_app, app_length. simpl. destruct (is_recv c a); simpl; lia. Qed.

Lemma nsends_firstn tr i c t : nth_error tr i = Some (CSend t c) -> nsends (firstn i tr) c < nsends tr c.
Proof.
  intros H. apply nth_error_split in H as (l1 & l2 & -> & <-). rewrite firstn_app, Nat.sub_diag, firstn_all. simpl.
  rewrite app_nil_r. unfold nsends. rewrite filter_app, app_length. simpl. rewrite Nat.eqb_refl. simpl. lia.
Qed.
Lemma nrecvs_firstn tr i c t : nth_error tr i = Some (CRecv t c) -> nrecvs (firstn i tr) c < nrecvs tr c.
Proof.
  intros H. apply nth_error_split in H as (l1 & l2 & -> & <-). rewrite firstn_app, Nat.sub_diag, firstn_all. simpl.
  rewrite app_nil_r. unfold nrecvs. rewrite filter_app, app_length. simpl. rewrite Nat.eqb_refl. simpl. lia.
Qed.

(** In feasible traces rules (1) and (2) always point forward, so that [i < j] in [e_sync] takes nothing away from them. *)
Lemma cfeasible_firstn tr : cfeasible tr -> forall j a, nth_error tr j = Some a -> cok (firstn j tr) a.
Proof.
  induction 1 as [|tr b F IH Hok]; intros j a Ha; [destruct j; discriminate|].
  apply nth_error_snoc_inv in Ha as [[Hl Ha]|[-> ->]].
  - rewrite firstn_snoc by lia. now apply IH.
  - rewrite firstn_snoc by lia. now rewrite firstn_all.
Qed.

Lemma nsends_prefix tr i j c : i <= j -> nsends (firstn i tr) c <= nsends (firstn j tr) c.
Proof.
  intros H. rewrite <- (firstn_skipn i (firstn j tr)). rewrite firstn_firstn, Nat.min_l by auto.
  unfold nsends. rewrite filter_app, app_length. lia.
Qed.
Lemma nrecvs_prefix tr i j c : i <= j -> nrecvs (firstn i tr) c <= nrecvs (firstn j tr) c.
Proof.
  intros H. rewrite <- (firstn_skipn i (firstn j tr)). rewrite firstn_firstn, Nat.min_l by auto.
  unfold nrecvs. rewrite filter_app, app_length. lia.
Qed.

Theorem rule_1_forward tr i j t u c : cfeasible tr -> nth_error tr i = Some (CSend t c) -> nth_error tr j = Some (CRecv u c) ->
  nsends (firstn i tr) c = nrecvs (firstn j tr) c -> i < j.
Proof.
  intros F Hi Hj E. destruct (Nat.lt_trichotomy i j) as [|[->|H]]; [auto|congruence|].
  pose proof (cfeasible_firstn tr F j _ Hj) as [_ Hok]. simpl in Hok.
  pose proof (nsends_prefix tr j i c). lia.
Qed.
Theorem rule_2_forward tr i j t u c : cfeasible tr -> nth_error tr i = Some (CRecv t c) -> nth_error tr j = Some (CSend u c) ->
  nrecvs (firstn i tr) c + cap c = nsends (firstn j tr) c -> i < j.
Proof.
  intros F Hi Hj E. destruct (Nat.lt_trichotomy i j) as [|[->|H]]; [auto|congruence|].
  pose proof (cfeasible_firstn tr F j _ Hj) as [_ [_ Hok]].
  pose proof (nrecvs_prefix tr j i c). lia.
Qed.
End Channels.

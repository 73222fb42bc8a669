(** Synchronisation over any knowledge, as 004's Figures 4 and 5 and the Rust `SyncState` have it; run on sets of positions it computes happens-before. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Clocks ChannelTrace.

(** ** The rules *)
Section Sync.
Context {K : Type} (bot : K) (join : K -> K -> K) (cap : chan -> nat).

(** What threads and locks know; of each channel the forward queue c_f, the backward queue c_b without the dummies that R-Make puts there,
    how many of those are left, and what the closing thread knew. *)
Record cstate := mkCS {
  sT : tid -> K; sL : lock -> K; sF : chan -> list K; sB : chan -> list K; sU : chan -> nat; sX : chan -> K }.
Definition cs0 : cstate := mkCS (fun _ => bot) (fun _ => bot) (fun _ => []) (fun _ => []) cap (fun _ => bot).

Definition learn (s : cstate) (t : tid) (k : K) : cstate :=
  mkCS (upd (sT s) t (join (sT s t) k)) (sL s) (sF s) (sB s) (sU s) (sX s).
Definition head (q : list K) : K := match q with [] => bot | k :: _ => k end.

Definition csync (s : cstate) (a : cop) : cstate :=
  match a with
  | CRd _ _ | CWr _ _ => s
  | CAcq t m => learn s t (sL s m)                                                             (* Acquire *)
  | CRel t m => mkCS (sT s) (upd (sL s) m (sT s t)) (sF s) (sB s) (sU s) (sX s)                (* Release *)
  | CFork t u => learn s u (sT s t)                                                            (* R-Go *)
  | CJoin t u => learn s t (sT s u)                                                            (* Join *)
  | CSend t c =>                                                                               (* R-Send *)
      let s1 := mkCS (sT s) (sL s) (upd (sF s) c (sF s c ++ [sT s t])) (sB s) (sU s) (sX s) in
      match sU s c with
      | S n => mkCS (sT s1) (sL s1) (sF s1) (sB s1) (upd (sU s1) c n) (sX s1)
      | 0 => let s2 := learn s1 t (head (sB s c)) in mkCS (sT s2) (sL s2) (sF s2) (upd (sB s2) c (tl (sB s c))) (sU s2) (sX s2)
      end
  | CRecv t c =>                                                                               (* R-Rec *)
      let s1 := mkCS (sT s) (sL s) (upd (sF s) c (tl (sF s c))) (upd (sB s) c (sB s c ++ [sT s t])) (sU s) (sX s) in
      learn s1 t (head (sF s c))
  | CRend t u c => let k := join (sT s t) (sT s u) in                                          (* R-Rend *)
      mkCS (upd (upd (sT s) t k) u k) (sL s) (sF s) (sB s) (sU s) (sX s)
  | CClose t c => mkCS (sT s) (sL s) (sF s) (sB s) (sU s) (upd (sX s) c (sT s t))              (* R-Close *)
  | CRecvClosed t c => learn s t (sX s c)                                                      (* R-Rec-bottom *)
  end.
End Sync.
Arguments cstate : clear implicits.
Arguments mkCS {K}.

(** ** Two runs of the rules over different knowledge stay related if the join keeps the relation *)
Section Related.
Context {K1 K2 : Type} (b1 : K1) (b2 : K2) (j1 : K1 -> K1 -> K1) (j2 : K2 -> K2 -> K2) (P : K1 -> K2 -> Prop).
Record related (s1 : cstate K1) (s2 : cstate K2) : Prop := {
  rl_T : forall t, P (sT s1 t) (sT s2 t);
  rl_L : forall m, P (sL s1 m) (sL s2 m);
  rl_F : forall c, Forall2 P (sF s1 c) (sF s2 c);
  rl_B : forall c, Forall2 P (sB s1 c) (sB s2 c);
  rl_U : forall c, sU s1 c = sU s2 c;
  rl_X : forall c, P (sX s1 c) (sX s2 c) }.

Hypothesis Pb : P b1 b2.
Hypothesis Pj : forall a b c d, P a b -> P c d -> P (j1 a c) (j2 b d).

Lemma F2_tl q1 q2 : Forall2 P q1 q2 -> Forall2 P (tl q1) (tl q2).
Proof. intros []; simpl; auto. Qed.
Lemma F2_head q1 q2 : Forall2 P q1 q2 -> P (head b1 q1) (head b2 q2).
Proof. intros []; simpl; auto. Qed.

Lemma related_step a s1 s2 : related s1 s2 -> related (csync b1 j1 s1 a) (csync b2 j2 s2 a).
Proof.
  intros [T L F B U X].
  assert (A : forall c q1 q2 k1 k2, Forall2 P q1 q2 -> P k1 k2 -> forall c', Forall2 P (upd (sF s1) c (q1 ++ [k1]) c') (upd (sF s2) c (q2 ++ [k2]) c')).
  { intros. unfold upd. destruct (c' =? c); auto. apply Forall2_app; auto. }
  destruct a as [t x|t x|t m|t m|t u|t u|t c|t c|t u c|t c|t c]; simpl.
  1,2: constructor; auto.
  1,3,4,9: constructor; simpl; auto; intros v; unfold upd; destruct (v =? _); auto.
  - constructor; simpl; auto. intros m'. unfold upd. destruct (m' =? m); auto.
  - (* send *) rewrite <- (U c). destruct (sU s1 c) as [|n].
    + constructor; simpl; auto.
      * intros v. unfold upd. destruct (v =? t); auto. apply Pj; auto. apply F2_head. auto.
      * intros c'. unfold upd. destruct (c' =? c); auto. apply F2_tl. auto.
    + constructor; simpl; auto. intros c'. unfold upd. destruct (c' =? c); auto.
  - (* receive *) constructor; simpl; auto.
    + intros v. unfold upd. destruct (v =? t); auto. apply Pj; auto. apply F2_head. auto.
    + intros c'. unfold upd. destruct (c' =? c); auto. apply F2_tl. auto.
    + intros c'. unfold upd. destruct (c' =? c); auto. apply Forall2_app; auto.
  - constructor; simpl; auto. intros v. unfold upd. destruct (v =? u), (v =? t); auto.
  - constructor; simpl; auto. intros c'. unfold upd. destruct (c' =? c); auto.
Qed.
End Related.

(** [acts], computed. *)
Definition actsb (a : cop) (v : tid) : bool :=
  match a with
  | CRd t _ | CWr t _ | CAcq t _ | CRel t _ | CFork t _ | CJoin t _ | CSend t _ | CRecv t _ | CClose t _ | CRecvClosed t _ => v =? t
  | CRend t u _ => (v =? t) || (v =? u)
  end.
Lemma actsb_true a v : actsb a v = true <-> acts a v.
Proof. destruct a; simpl; rewrite ?orb_true_iff, ?Nat.eqb_eq; tauto. Qed.

(** ** What is known, by definition *)
Section Exact.
Variable cap : chan -> nat.
Notation reach := (reach cap).

(** The positions whose start reaches the start of j; those known to thread t now; those that lock m, or the close of c, has published. *)
Definition starts (tr : ctrace) (j i : nat) : Prop := reach tr (St i) (St j).
Definition kT (tr : ctrace) (t : tid) (i : nat) : Prop :=
  exists j b, nth_error tr j = Some b /\ ((acts b t /\ reach tr (St i) (Co j)) \/ ((exists s, b = CFork s t) /\ starts tr j i)).
Definition kL (tr : ctrace) (m : lock) (i : nat) : Prop := exists j s, nth_error tr j = Some (CRel s m) /\ starts tr j i.
Definition kX (tr : ctrace) (c : chan) (i : nat) : Prop := exists j s, nth_error tr j = Some (CClose s c) /\ starts tr j i.
(** ... by send number n, by receive number n. *)
Definition kF (tr : ctrace) (c : chan) (n i : nat) : Prop :=
  exists j s, nth_error tr j = Some (CSend s c) /\ nsends (firstn j tr) c = n /\ starts tr j i.
Definition kB (tr : ctrace) (c : chan) (n i : nat) : Prop :=
  exists j s, nth_error tr j = Some (CRecv s c) /\ nrecvs (firstn j tr) c = n /\ starts tr j i.

Lemma new_start tr a i : reach (tr ++ [a]) (St i) (St (length tr)) <-> i = length tr \/ exists t, acts a t /\ kT tr t i.
Proof.
  split.
  - intros H. remember (St i) as n eqn:En. remember (St (length tr)) as q eqn:Eq. destruct H as [n|n p q H D]; subst.
    + injection Eq as ->. auto.
    + right. inversion D as [|i' j a' b t Hij Ha Hb Hat Hbt|i' j t u b Hij Ha Hb Hbt| |]; subst;
      rewrite nth_error_snoc_eq in Hb; injection Hb as <-; rewrite nth_error_snoc_lt in Ha by lia.
      * exists t. split; auto. exists i', a'. split; auto. left. split; auto.
        apply reach_snoc_old in H; auto.
      * exists u. split; auto. exists i', (CFork t u). split; auto. right. split; eauto.
        apply reach_snoc_old in H; auto.
  - intros [->|(t & Ha & j & b & Hb & [[Hbt H]|[[s ->] H]])]; [constructor|..]; pose proof (nth_error_lt _ _ _ Hb) as Hl.
    + eapply r_step with (Co j); [now apply reach_snoc_old|]. apply (e_po cap (tr ++ [a]) j (length tr) b a t); auto.
      { rewrite nth_error_snoc_lt; auto. } { apply nth_error_snoc_eq. }
    + eapply r_step with (St j); [now apply reach_snoc_old|]. apply (e_fork cap (tr ++ [a]) j (length tr) s t a); auto.
      { rewrite nth_error_snoc_lt; auto. } { apply nth_error_snoc_eq. }
Qed.

(** What the operation learns beyond its own thread's knowledge. *)
Definition learnt (tr : ctrace) (a : cop) (i : nat) : Prop :=
  match a with
  | CAcq _ m => kL tr m i
  | CJoin _ u => kT tr u i
  | CSend _ c => cap c <= nsends tr c /\ kB tr c (nsends tr c - cap c) i
  | CRecv _ c => kF tr c (nrecvs tr c) i
  | CRecvClosed _ c => kX tr c i
  | _ => False
  end.

Lemma new_completion tr a i : reach (tr ++ [a]) (St i) (Co (length tr)) <->
  reach (tr ++ [a]) (St i) (St (length tr)) \/ learnt tr a i.
Proof.
  split.
  - intros H. remember (St i) as n eqn:En. remember (Co (length tr)) as q eqn:Eq. destruct H as [n|n p q H D]; subst; [discriminate|].
    inversion D as [| | |i' j b t u Hij Hb Ha Hbt|i' j Hij O]; subst; auto; right.
    + rewrite nth_error_snoc_eq in Ha. injection Ha as ->. rewrite nth_error_snoc_lt in Hb by lia. simpl.
      exists i', b. split; auto. left. split; auto. apply reach_snoc_old in H; auto.
    + apply reach_snoc_old in H; [|simpl; auto].
      inversion O as [t u m Hb Ha|t t' u Hb Ha|t u c Hb Ha E|t u c Hb Ha E|t u c Hb Ha];
      rewrite nth_error_snoc_eq in Ha; injection Ha as ->; rewrite nth_error_snoc_lt in Hb by lia; simpl;
      try (rewrite !firstn_snoc, firstn_all in E by lia).
      * exists i', t. auto.
      * exists i', (CFork t u). split; auto. right. eauto.
      * exists i', t. auto.
      * split; [lia|]. exists i', t. repeat split; auto. lia.
      * exists i', t. auto.
  - intros [H|H].
    + eapply r_step; [exact H|]. apply e_self. rewrite app_length. simpl. lia.
    + assert (S : forall j b, nth_error tr j = Some b -> starts tr j i -> orders cap (tr ++ [a]) j (length tr) ->
                  reach (tr ++ [a]) (St i) (Co (length tr))).
      { intros j b Hb Hs O. pose proof (nth_error_lt _ _ _ Hb). eapply r_step with (St j); [now apply reach_snoc_old|].
        apply e_sync; auto. }
      destruct a as [t x|t x|t m|t m|t u|t u|t c|t c|t u c|t c|t c]; simpl in H; try contradiction.
      * destruct H as (j & s & Hb & Hs). pose proof (nth_error_lt _ _ _ Hb). apply (S j _ Hb Hs).
        eapply o_lock; [rewrite nth_error_snoc_lt; eauto|apply nth_error_snoc_eq].
      * destruct H as (j & b & Hb & [[Hbt H]|[[s ->] Hs]]); pose proof (nth_error_lt _ _ _ Hb).
        { eapply r_step with (Co j); [now apply reach_snoc_old|]. apply (e_join cap (tr ++ [CJoin t u]) j (length tr) b t u); auto.
          - rewrite nth_error_snoc_lt; auto. - apply nth_error_snoc_eq. }
        { apply (S j _ Hb Hs). eapply o_fork_join; [rewrite nth_error_snoc_lt; eauto|apply nth_error_snoc_eq]. }
      * destruct H as (Hc & j & s & Hb & E & Hs). pose proof (nth_error_lt _ _ _ Hb). apply (S j _ Hb Hs).
        eapply o_slot; [rewrite nth_error_snoc_lt; eauto|apply nth_error_snoc_eq|].
        rewrite !firstn_snoc, firstn_all by lia. lia.
      * destruct H as (j & s & Hb & E & Hs). pose proof (nth_error_lt _ _ _ Hb). apply (S j _ Hb Hs).
        eapply o_send; [rewrite nth_error_snoc_lt; eauto|apply nth_error_snoc_eq|].
        rewrite !firstn_snoc, firstn_all by lia. auto.
      * destruct H as (j & s & Hb & Hs). pose proof (nth_error_lt _ _ _ Hb). apply (S j _ Hb Hs).
        eapply o_close; [rewrite nth_error_snoc_lt; eauto|apply nth_error_snoc_eq].
Qed.

(** ** How what is known changes *)
Definition newS tr a i := reach (tr ++ [a]) (St i) (St (length tr)).
Definition newC tr a i := reach (tr ++ [a]) (St i) (Co (length tr)).

Lemma starts_old tr a j i : j < length tr -> (starts (tr ++ [a]) j i <-> starts tr j i).
Proof. intros. now apply reach_snoc_old. Qed.

Lemma kT_snoc tr a t i : kT (tr ++ [a]) t i <->
  kT tr t i \/ (acts a t /\ newC tr a i) \/ ((exists s, a = CFork s t) /\ newS tr a i).
Proof.
  unfold kT. split.
  - intros (j & b & Hb & H). apply nth_error_snoc_inv in Hb as [[Hl Hb]|[-> ->]].
    + left. exists j, b. split; auto. rewrite reach_snoc_old, starts_old in H by auto. auto.
    + right. exact H.
  - intros [(j & b & Hb & H)|H].
    + pose proof (nth_error_lt _ _ _ Hb). exists j, b. rewrite nth_error_snoc_lt by auto. split; auto.
      rewrite reach_snoc_old, starts_old by auto. auto.
    + exists (length tr), a. rewrite nth_error_snoc_eq. split; auto.
Qed.

Lemma kL_snoc tr a m i : kL (tr ++ [a]) m i <-> kL tr m i \/ ((exists s, a = CRel s m) /\ newS tr a i).
Proof.
  unfold kL. split.
  - intros (j & s & Hb & H). apply nth_error_snoc_inv in Hb as [[Hl Hb]|[-> <-]]; [left|right; split; eauto].
    exists j, s. split; auto. now apply starts_old in H.
  - intros [(j & s & Hb & H)|[[s ->] H]].
    + pose proof (nth_error_lt _ _ _ Hb). exists j, s. rewrite nth_error_snoc_lt by auto. split; auto. now apply starts_old.
    + exists (length tr), s. rewrite nth_error_snoc_eq. auto.
Qed.
Lemma kX_snoc tr a c i : kX (tr ++ [a]) c i <-> kX tr c i \/ ((exists s, a = CClose s c) /\ newS tr a i).
Proof.
  unfold kX. split.
  - intros (j & s & Hb & H). apply nth_error_snoc_inv in Hb as [[Hl Hb]|[-> <-]]; [left|right; split; eauto].
    exists j, s. split; auto. now apply starts_old in H.
  - intros [(j & s & Hb & H)|[[s ->] H]].
    + pose proof (nth_error_lt _ _ _ Hb). exists j, s. rewrite nth_error_snoc_lt by auto. split; auto. now apply starts_old.
    + exists (length tr), s. rewrite nth_error_snoc_eq. auto.
Qed.
Lemma kF_snoc tr a c n i : kF (tr ++ [a]) c n i <-> kF tr c n i \/ ((exists s, a = CSend s c) /\ n = nsends tr c /\ newS tr a i).
Proof.
  unfold kF. split.
  - intros (j & s & Hb & E & H). apply nth_error_snoc_inv in Hb as [[Hl Hb]|[-> <-]].
    + left. exists j, s. rewrite firstn_snoc in E by lia. repeat split; auto. now apply starts_old in H.
    + right. rewrite firstn_snoc, firstn_all in E by lia. eauto.
  - intros [(j & s & Hb & E & H)|[[s ->] [-> H]]].
    + pose proof (nth_error_lt _ _ _ Hb). exists j, s. rewrite nth_error_snoc_lt, firstn_snoc by lia. repeat split; auto. now apply starts_old.
    + exists (length tr), s. rewrite nth_error_snoc_eq, firstn_snoc, firstn_all by lia. auto.
Qed.
Lemma kB_snoc tr a c n i : kB (tr ++ [a]) c n i <-> kB tr c n i \/ ((exists s, a = CRecv s c) /\ n = nrecvs tr c /\ newS tr a i).
Proof.
  unfold kB. split.
  - intros (j & s & Hb & E & H). apply nth_error_snoc_inv in Hb as [[Hl Hb]|[-> <-]].
    + left. exists j, s. rewrite firstn_snoc in E by lia. repeat split; auto. now apply starts_old in H.
    + right. rewrite firstn_snoc, firstn_all in E by lia. eauto.
  - intros [(j & s & Hb & E & H)|[[s ->] [-> H]]].
    + pose proof (nth_error_lt _ _ _ Hb). exists j, s. rewrite nth_error_snoc_lt, firstn_snoc by lia. repeat split; auto. now apply starts_old.
    + exists (length tr), s. rewrite nth_error_snoc_eq, firstn_snoc, firstn_all by lia. auto.
Qed.

Lemma kF_lt tr c n i : kF tr c n i -> n < nsends tr c.
Proof. intros (j & s & Hb & <- & _). eapply nsends_firstn; eauto. Qed.
Lemma kB_lt tr c n i : kB tr c n i -> n < nrecvs tr c.
Proof. intros (j & s & Hb & <- & _). eapply nrecvs_firstn; eauto. Qed.

Lemma cholder_from_snoc h m tr a :
  cholder_from h m (tr ++ [a]) =
  match a with
  | CAcq t m' => if m' =? m then Some t else cholder_from h m tr
  | CRel _ m' => if m' =? m then None else cholder_from h m tr
  | _ => cholder_from h m tr
  end.
Proof. revert h. induction tr as [|b tr IH]; intros h; simpl; [destruct a; auto|destruct b; auto]. Qed.
Lemma cholder_snoc tr a m :
  cholder (tr ++ [a]) m =
  match a with
  | CAcq t m' => if m' =? m then Some t else cholder tr m
  | CRel _ m' => if m' =? m then None else cholder tr m
  | _ => cholder tr m
  end.
Proof. apply cholder_from_snoc. Qed.

(** Who holds a lock knows all that the lock knows. *)
Lemma cholder_knows tr : cfeasible cap tr -> forall m t, cholder tr m = Some t -> forall i, kL tr m i -> kT tr t i.
Proof.
  induction 1 as [|tr a F IH Hok]; intros m t Hh i Hk; [discriminate|].
  rewrite kT_snoc. rewrite kL_snoc in Hk. rewrite cholder_snoc in Hh. destruct Hok as [_ Hok].
  destruct Hk as [Hk|[[s ->] Hk]]; [|rewrite Nat.eqb_refl in Hh; discriminate].
  destruct a as [v x|v x|v m'|v m'|v u|v u|v c|v c|v u c|v c|v c]; try (left; now apply (IH m)).
  - destruct (Nat.eqb_spec m' m) as [->|]; [|left; now apply (IH m)].
    injection Hh as <-. right. left. split; [reflexivity|]. apply new_completion. right. exact Hk.
  - destruct (Nat.eqb_spec m' m) as [->|]; [discriminate|left; now apply (IH m)].
Qed.

(** ** The rules on sets of positions *)
Definition pset := nat -> Prop.
Definition pbot : pset := fun _ => False.
Definition pjoin (a b : pset) : pset := fun i => a i \/ b i.

(** An operation is known to whoever takes part in it from its start on. *)
Definition mark (n : nat) (a : cop) (s : cstate pset) : cstate pset :=
  mkCS (fun t => if actsb a t then pjoin (sT s t) (fun i => i = n) else sT s t) (sL s) (sF s) (sB s) (sU s) (sX s).

Fixpoint psets_from (n : nat) (s : cstate pset) (tr : ctrace) : cstate pset :=
  match tr with [] => s | a :: r => psets_from (S n) (csync pbot pjoin (mark n a s) a) r end.
Definition psets (tr : ctrace) : cstate pset := psets_from 0 (cs0 pbot cap) tr.

Lemma psets_from_snoc tr : forall n s a, psets_from n s (tr ++ [a]) =
  csync pbot pjoin (mark (n + length tr) a (psets_from n s tr)) a.
Proof.
  induction tr as [|b tr IH]; intros n s a; simpl; [now rewrite Nat.add_0_r|]. rewrite IH. now rewrite Nat.add_succ_r.
Qed.
Lemma psets_snoc tr a : psets (tr ++ [a]) = csync pbot pjoin (mark (length tr) a (psets tr)) a.
Proof. apply psets_from_snoc. Qed.

Record exact (tr : ctrace) (s : cstate pset) : Prop := {
  ex_T : forall t i, sT s t i <-> kT tr t i;
  ex_L : forall m i, sL s m i <-> kL tr m i;
  ex_X : forall c i, sX s c i <-> kX tr c i;
  ex_U : forall c, sU s c = cap c - nsends tr c;
  ex_Fl : forall c, length (sF s c) + nrecvs tr c = nsends tr c;
  ex_F : forall c k e, nth_error (sF s c) k = Some e -> forall i, e i <-> kF tr c (nrecvs tr c + k) i;
  ex_Bl : forall c, length (sB s c) + (nsends tr c - cap c) = nrecvs tr c;
  ex_B : forall c k e, nth_error (sB s c) k = Some e -> forall i, e i <-> kB tr c ((nsends tr c - cap c) + k) i }.
End Exact.

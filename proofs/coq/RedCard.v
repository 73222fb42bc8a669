(** RedCard (003): Theorem 1. Accesses whose checks are redundant in their release-free span can go unchecked. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector VerifiedFT VerifiedFTRules.

(** ** Spans *)

(** An operation by which what its thread has done can become known to others. 003 has releases only; with forks, a fork ends a span too. *)
Definition releases (a : op) : bool := match a with Rel _ _ | Fork _ _ => true | _ => false end.

(** Positions i <= j of thread t are in one span: t releases nothing from i to j. *)
Definition same_span (tr : trace) (t : tid) (i j : nat) : Prop :=
  forall k a, i <= k < j -> nth_error tr k = Some a -> thr a = t -> releases a = false.

Section Checks.
(** Which accesses are checked, by position. *)
Variable checked : nat -> bool.

(** A check of [b] makes one of [a] redundant: same thread, same variable, and a write is covered by a write only. Reads are covered by both.
    (003 proves the theorem with reads that conflict with each other and leaves this refinement to its Section 6.) *)
Definition covers (b a : op) : Prop :=
  match b, a with
  | Wr u y, Wr t x | Wr u y, Rd t x | Rd u y, Rd t x => u = t /\ y = x
  | _, _ => False
  end.

Definition race_free_upto (tr : trace) (n : nat) : Prop := race_free (firstn n tr).

(** 003, Section 2.1: each unchecked access is preceded, in its span, by a checked one that covers it, provided that what came before is free of races. *)
Definition well_formed (tr : trace) : Prop :=
  forall j a, nth_error tr j = Some a -> (exists x, accesses x a) -> checked j = false -> race_free_upto tr j ->
  exists i b, i < j /\ nth_error tr i = Some b /\ covers b a /\ checked i = true /\ same_span tr (thr a) i j.

Definition detected_race_on (tr : trace) (x : var) : Prop :=
  exists i j a b, i < j /\ nth_error tr i = Some a /\ nth_error tr j = Some b /\ conflict x a b /\ ~ hb tr i j /\
                  checked i = true /\ checked j = true.

Lemma not_after_join tr : feasible tr -> forall i j t u a, nth_error tr j = Some (Join t u) -> nth_error tr i = Some a -> thr a = u -> i <> j -> i < j.
Proof.
  intros F. induction F as [|tr b F IH [Hj Hok]]; intros i j t u a Hb Ha Ht Hne.
  - destruct j; discriminate.
  - apply nth_error_snoc_inv in Hb as [[Hl Hb]|[Ej Eb]]; apply nth_error_snoc_inv in Ha as [[Hl' Ha]|[Ei Ea]]; try lia.
    + eapply IH; eauto.
    + exfalso. apply Hj. rewrite <- Ea, Ht. exists t. eapply nth_error_In; eauto.
Qed.

(** What leaves a span, leaves it whole: if an access at i happens before an operation of another thread, so do the later steps of the span. *)
Lemma span_leaves tr t i j k a b c : feasible tr ->
  nth_error tr i = Some a -> thr a = t -> i <= j -> nth_error tr j = Some b -> thr b = t -> same_span tr t i (S j) ->
  hb tr i k -> nth_error tr k = Some c -> thr c <> t -> hb tr j k.
Proof.
  intros F Ha Hta Hij Hb Htb Sp H Hc Htc.
  assert (After : forall m d, i <= m -> nth_error tr m = Some d -> thr d = t -> releases d = true -> hbeq tr j m).
  { intros m d Him Hd Htd Hr. destruct (le_lt_dec m j) as [Hle|Hlt].
    - assert (releases d = false) by (apply (Sp m d); auto; lia). congruence.
    - right. apply hb_edge. split; auto. exists b, d. repeat split; auto. apply dep_po. congruence. }
  assert (Leave : forall m n d e, i <= m -> edge tr m n -> nth_error tr m = Some d -> nth_error tr n = Some e ->
                  thr d = t -> thr e <> t -> hb tr j n).
  { intros m n d e Him E Hd He Htd Hte. pose proof E as [Hmn (d' & e' & Hd' & He' & D)].
    assert (d' = d) by congruence. assert (e' = e) by congruence. subst d' e'.
    assert (Out : releases d = true -> hb tr j n).
    { intros Hr. destruct (After m d Him Hd Htd Hr) as [->|Hh]; [now apply hb_edge|eapply hb_trans; eauto]. }
    destruct D as [d e Hde|v w l|v w e Hw|v w d Hw|v v' w]; simpl in *; try congruence; try (apply Out; reflexivity).
    (* a join of t *) apply hb_edge. assert (Hjn : j < n).
    { apply (not_after_join tr F j n v w b); auto; [congruence|]. intros ->. assert (b = Join v w) by congruence. subst b. simpl in *. congruence. }
    split; auto. exists b, (Join v w). repeat split; auto. apply dep_join. congruence. }
  revert c Hc Htc. induction H as [i k E|i m k H IH E]; intros c Hc Htc.
  - apply (Leave i k a c); auto.
  - pose proof E as [Hmk (d & e & Hd & _ & _)]. pose proof (hb_lt _ _ _ H) as [Him _].
    destruct (Nat.eq_dec (thr d) t) as [Ht|Ht].
    + apply (Leave m k d c); auto. lia.
    + eapply hb_trans; [|exact E]. eapply IH; eauto.
Qed.

(** The check that stands for the access at j: itself or an earlier one that covers it. *)
Definition stands_for (tr : trace) (i j : nat) : Prop :=
  checked i = true /\ (i = j \/ exists a b, i < j /\ nth_error tr i = Some b /\ nth_error tr j = Some a /\ covers b a /\ same_span tr (thr a) i j).

Lemma conflict_sym x a b : conflict x a b -> conflict x b a.
Proof. destruct a, b; simpl; tauto. Qed.
Lemma covers_conflict x a b c : covers b a -> conflict x a c -> conflict x b c.
Proof. destruct a, b, c; simpl; intuition (subst; auto). Qed.
Lemma covers_thr a b : covers b a -> thr b = thr a.
Proof. destruct a, b; simpl; tauto. Qed.
Lemma access_not_release x a c : conflict x a c -> releases a = false.
Proof. destruct a; simpl; auto; contradiction. Qed.

(** Two racing accesses, and the checks that stand for them: these race as well. *)
Lemma stand_ins_race tr x i j a b i' j' : feasible tr ->
  i < j -> nth_error tr i = Some a -> nth_error tr j = Some b -> conflict x a b -> ~ hb tr i j ->
  stands_for tr i' i -> stands_for tr j' j -> detected_race_on tr x.
Proof.
  intros F Hij Ha Hb Cf Hn [Ci Si] [Cj Sj].
  assert (Hth : thr a <> thr b).
  { intros E. apply Hn. apply hb_edge. split; auto. exists a, b. repeat split; auto. now apply dep_po. }
  assert (exists a', nth_error tr i' = Some a' /\ thr a' = thr a /\ i' <= i /\ (forall c, conflict x a c -> conflict x a' c) /\ same_span tr (thr a) i' (S i))
    as (a' & Ha' & Ta & Li & Xa & Spa).
  { destruct Si as [->|(a0 & b0 & Hl & Hb0 & Ha0 & Cv & Sp)].
    - exists a. repeat split; auto. intros k d Hk Hd _. assert (k = i) by lia. subst. assert (d = a) by congruence. subst.
      eapply access_not_release; eauto.
    - assert (a0 = a) by congruence. subst a0. exists b0. repeat split; auto; try lia; [now apply covers_thr|intros; eapply covers_conflict; eauto|].
      intros k d Hk Hd Ht. destruct (Nat.eq_dec k i) as [->|]; [|apply (Sp k d); auto; lia].
      assert (d = a) by congruence. subst. eapply access_not_release; eauto. }
  assert (exists b', nth_error tr j' = Some b' /\ thr b' = thr b /\ j' <= j /\ (forall c, conflict x b c -> conflict x b' c) /\ same_span tr (thr b) j' (S j))
    as (b' & Hb' & Tb & Lj & Xb & Spb).
  { apply conflict_sym in Cf. destruct Sj as [->|(a0 & b0 & Hl & Hb0 & Ha0 & Cv & Sp)].
    - exists b. repeat split; auto. intros k d Hk Hd _. assert (k = j) by lia. subst. assert (d = b) by congruence. subst.
      eapply access_not_release; eauto.
    - assert (a0 = b) by congruence. subst a0. exists b0. repeat split; auto; try lia; [now apply covers_thr|intros; eapply covers_conflict; eauto|].
      intros k d Hk Hd Ht. destruct (Nat.eq_dec k j) as [->|]; [|apply (Sp k d); auto; lia].
      assert (d = b) by congruence. subst. eapply access_not_release; eauto. }
  assert (Cf' : conflict x a' b') by (apply Xa, conflict_sym, Xb, conflict_sym, Cf).
  destruct (Nat.lt_trichotomy i' j') as [Hlt|[->|Hlt]].
  - exists i', j', a', b'. repeat split; auto. intros Hh. apply Hn.
    assert (Hh' : hb tr i j').
    { eapply (span_leaves tr (thr a) i' i j' a' a b'); eauto. congruence. }
    destruct (Nat.eq_dec j' j) as [->|]; auto. eapply hb_trans; [exact Hh'|]. split; [lia|]. exists b', b. repeat split; auto. now apply dep_po.
  - congruence.
  - exists j', i', b', a'. repeat split; auto; [now apply conflict_sym|]. intros Hh.
    assert (Hh' : hb tr j i').
    { eapply (span_leaves tr (thr b) j' j i' b' b a'); eauto. congruence. }
    apply hb_lt in Hh'. lia.
Qed.

Lemma detected_race_is_race tr x : detected_race_on tr x -> race_on tr x.
Proof. intros (i & j & a & b & Hij & Ha & Hb & Cf & Hn & _). exists j, i, a, b. auto. Qed.

(** ** If every unchecked access is covered, whatever came before, then no race on any variable is lost *)
Definition well_formed_always (tr : trace) : Prop :=
  forall j a, nth_error tr j = Some a -> (exists x, accesses x a) -> checked j = false ->
  exists i b, i < j /\ nth_error tr i = Some b /\ covers b a /\ checked i = true /\ same_span tr (thr a) i j.

Lemma stand_in tr j a : nth_error tr j = Some a ->
  (checked j = false -> exists i b, i < j /\ nth_error tr i = Some b /\ covers b a /\ checked i = true /\ same_span tr (thr a) i j) ->
  exists i, stands_for tr i j.
Proof.
  intros Ha H. destruct (checked j) eqn:E; [exists j; split; auto|].
  destruct (H eq_refl) as (i & b & Hl & Hb & Cv & Ci & Sp). exists i. split; auto. right. exists a, b. auto.
Qed.
Lemma conflict_accesses x a b : conflict x a b -> accesses x a /\ accesses x b.
Proof. destruct a, b; simpl; tauto. Qed.

Theorem redcard_every_variable tr x : feasible tr -> well_formed_always tr -> (race_on tr x <-> detected_race_on tr x).
Proof.
  intros F W. split; [|apply detected_race_is_race]. intros (j & i & a & b & Hij & Ha & Hb & Cf & Hn).
  destruct (conflict_accesses _ _ _ Cf) as [Aa Ab].
  destruct (stand_in tr i a Ha) as [i' Hi']; [intros; eapply W; eauto|].
  destruct (stand_in tr j b Hb) as [j' Hj']; [intros; eapply W; eauto|].
  eapply (stand_ins_race tr x i j a b i' j'); eauto.
Qed.

(** ** The paper's theorem, which lets an unchecked access count on a race-free past *)
Lemma hb_app_old l2 : forall l1 i j, j < length l1 -> (hb (l1 ++ l2) i j <-> hb l1 i j).
Proof.
  induction l2 as [|a l2 IH] using rev_ind; intros l1 i j Hj; [now rewrite app_nil_r|].
  rewrite app_assoc, hb_snoc_old by (rewrite app_length; lia). now apply IH.
Qed.
Lemma nth_firstn {A} (l : list A) n i : i < n -> nth_error (firstn n l) i = nth_error l i.
Proof. revert l i. induction n as [|n IH]; intros [|a l] [|i] H; simpl; auto; try lia. apply IH. lia. Qed.
Lemma race_at_firstn tr x n j : j < n -> race_at (firstn n tr) x j -> race_at tr x j.
Proof.
  intros Hj (i & a & b & Hij & Ha & Hb & Cf & Hn). rewrite nth_firstn in Ha, Hb by lia.
  exists i, a, b. repeat split; auto. intros H. apply Hn. rewrite <- (firstn_skipn n tr) in H.
  apply hb_app_old in H; auto. rewrite firstn_length. apply nth_error_lt in Hb. lia.
Qed.
Lemma feasible_firstn tr : feasible tr -> forall n, feasible (firstn n tr).
Proof.
  induction 1 as [|tr a F IH Hok]; intros n; [rewrite firstn_nil; constructor|].
  destruct (le_lt_dec n (length tr)) as [Hl|Hl].
  - rewrite firstn_app. replace (n - length tr) with 0 by lia. simpl. rewrite app_nil_r. apply IH.
  - rewrite firstn_all2 by (rewrite app_length; simpl; lia). now constructor.
Qed.
Lemma firstn_S_snoc (tr : trace) n a : nth_error tr n = Some a -> firstn (S n) tr = firstn n tr ++ [a].
Proof. revert n. induction tr as [|b tr IH]; intros [|n] H; simpl in *; try discriminate; [congruence|]. now rewrite (IH n). Qed.

(** There is a first race, or none. *)
Lemma first_race_or_none tr : feasible tr -> forall n,
  race_free_upto tr n \/ exists m x, m < n /\ race_free_upto tr m /\ race_at tr x m.
Proof.
  intros F. induction n as [|n [IH|(m & x & Hm & H)]].
  - left. intros x (j & i & a & b & _ & Ha & _). destruct i; discriminate.
  - destruct (nth_error tr n) as [a|] eqn:Ha.
    + pose proof (feasible_firstn tr F (S n)) as Fn. unfold race_free_upto in *. rewrite (firstn_S_snoc _ _ _ Ha) in *.
      assert (Ln : length (firstn n tr) = n) by (rewrite firstn_length; apply nth_error_lt in Ha; lia).
      assert (Nn : nth_error (firstn n tr ++ [a]) n = Some a) by (pose proof (nth_error_snoc_eq (firstn n tr) a) as Nn; now rewrite Ln in Nn).
      assert (New : forall x, race_on (firstn n tr ++ [a]) x -> race_at (firstn n tr ++ [a]) x n).
      { intros x (j & i & b & c & Hij & Hb & Hc & Cf & Hn). apply nth_error_snoc_inv in Hc as [[Hl Hc]|[-> ->]].
        - exfalso. apply (IH x). exists j, i, b, c. rewrite nth_error_snoc_lt in Hb by lia. repeat split; auto. intros Hh. apply Hn. now apply hb_snoc_old.
        - exists i, b, a. rewrite Ln in *. repeat split; auto. }
      assert (Dec : forall x, race_on (firstn n tr ++ [a]) x \/ ~ race_on (firstn n tr ++ [a]) x).
      { intros x. rewrite <- (precise VerifiedFT _ x Fn). destruct (dvar _ _ x); [right; discriminate|auto]. }
      assert (Var : forall x, race_on (firstn n tr ++ [a]) x -> accesses x a).
      { intros x H. apply New in H as (i & b & c & _ & _ & Hc & Cf & _). rewrite Nn in Hc.
        injection Hc as <-. now apply (conflict_accesses _ _ _ Cf). }
      assert (Right : forall x, race_on (firstn n tr ++ [a]) x -> exists m x, m < S n /\ race_free (firstn m tr) /\ race_at tr x m).
      { intros x H. exists n, x. repeat split; auto. apply New in H. rewrite <- (firstn_S_snoc _ _ _ Ha) in H.
        eapply race_at_firstn; [|exact H]. lia. }
      destruct a as [t x|t x|t m|t m|t u|t u|t];
      try (left; intros y H; apply Var in H; contradiction);
      (destruct (Dec x) as [D|D]; [right; eauto|left]; intros y H; pose proof (Var y H) as E; simpl in E; subst; auto).
    + left. unfold race_free_upto in *. apply nth_error_None in Ha. now rewrite firstn_all2 in * by lia.
  - right. exists m, x. split; [lia|exact H].
Qed.

(** Theorem 1 of 003: a well-formed trace has a race if and only if it has a detected race. *)
Theorem redcard_theorem_1 tr : feasible tr -> well_formed tr -> ((exists x, race_on tr x) <-> (exists x, detected_race_on tr x)).
Proof.
  intros F W. split; [|intros [x H]; exists x; now apply detected_race_is_race].
  intros [x Hr]. destruct (first_race_or_none tr F (length tr)) as [H|(m & y & _ & Hf & i & a & b & Hij & Ha & Hb & Cf & Hn)].
  - exfalso. unfold race_free_upto in H. rewrite firstn_all in H. now apply (H x).
  - exists y. destruct (conflict_accesses _ _ _ Cf) as [Aa Ab].
    assert (Hfi : race_free_upto tr i).
    { intros z (j' & i' & c & d & H1 & Hc & Hd & Cf' & Hn'). apply (Hf z).
      assert (Hj' : j' < i) by (apply nth_error_lt in Hd; rewrite firstn_length in Hd; lia).
      assert (R : race_at tr z j') by (eapply race_at_firstn; [exact Hj'|]; exists i', c, d; auto).
      destruct R as (i2 & c2 & d2 & H2 & Hc2 & Hd2 & Cf2 & Hn2). exists j', i2, c2, d2. rewrite !nth_firstn by lia. repeat split; auto.
      intros Hh. apply Hn2. rewrite <- (firstn_skipn m tr). apply hb_app_old; auto.
      rewrite firstn_length. apply nth_error_lt in Hb. lia. }
    destruct (stand_in tr i a Ha) as [i' Hi']; [intros; eapply W; eauto|].
    destruct (stand_in tr m b Hb) as [j' Hj']; [intros; eapply W; eauto|].
    eapply (stand_ins_race tr y i m a b i' j'); eauto.
Qed.
End Checks.

(** ** An example: the second read of a span need not be checked, and the race is still found *)
Definition twice : trace := [Fork 0 1; Rd 0 5; Rd 0 5; Wr 1 5].
Definition but_the_second (i : nat) : bool := negb (i =? 2).
Example twice_well_formed : well_formed_always but_the_second twice.
Proof.
  intros j a Ha _ Hc. apply negb_false_iff, Nat.eqb_eq in Hc. subst j. injection Ha as <-.
  exists 1, (Rd 0 5). repeat split; auto. intros k d Hk Hd _. assert (k = 1) by lia. subst. now injection Hd as <-.
Qed.
(** With a release between them the second read must be checked: nothing stands for it. *)
Definition released : trace := [Fork 0 1; Rd 0 5; Rel 0 9; Rd 0 5; Acq 1 9; Wr 1 5].
Example released_not_well_formed : ~ well_formed_always (fun i => negb (i =? 3)) released.
Proof.
  intros W. destruct (W 3 (Rd 0 5) eq_refl (ex_intro _ 5 eq_refl) eq_refl) as (i & b & Hi & Hb & Cv & _ & Sp).
  destruct i as [|[|[|i]]]; simpl in Hb; try lia; injection Hb as <-; simpl in Cv; try contradiction.
  specialize (Sp 2 (Rel 0 9)). simpl in Sp. assert (true = false) by (apply Sp; auto; lia). discriminate.
Qed.

(** Vector clocks characterise happens-before: the invariant shared by every detector. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge.

Definition vc := tid -> nat.
Definition upd {A} (f : nat -> A) (k : nat) (v : A) : nat -> A := fun k' => if k' =? k then v else f k'.
Definition vbot : vc := fun _ => 0.
Definition vjoin (a b : vc) : vc := fun t => Nat.max (a t) (b t).
Definition vinc (t : tid) (v : vc) : vc := upd v t (S (v t)).
Definition vle (a b : vc) : Prop := forall t, a t <= b t.

Record sync := mkSync { C : tid -> vc; L : lock -> vc }.
Definition sync0 : sync := mkSync (fun t => upd vbot t 1) (fun _ => vbot).

(** [jinc]: does join(t,u) increment u's own entry (VectorClock, FastTrack: true; VerifiedFT: false)? *)
Definition sync_step (jinc : bool) (s : sync) (a : op) : sync :=
  match a with
  | Rd _ _ | Wr _ _ | Exit _ => s
  | Acq t m => mkSync (upd (C s) t (vjoin (C s t) (L s m))) (L s)
  | Rel t m => mkSync (upd (C s) t (vinc t (C s t))) (upd (L s) m (C s t))
  | Fork t u => mkSync (upd (upd (C s) u (vjoin (C s u) (C s t))) t (vinc t (C s t))) (L s)
  | Join t u =>
      let c := upd (C s) t (vjoin (C s t) (C s u)) in
      mkSync (if jinc then upd c u (vinc u (c u)) else c) (L s)
  end.

Section WithJ.
Variable jinc : bool.

Definition clk (tr : trace) : sync := fold_left (sync_step jinc) tr sync0.

Lemma clk_snoc tr a : clk (tr ++ [a]) = sync_step jinc (clk tr) a.
Proof. unfold clk. now rewrite fold_left_app. Qed.

(** time stamp of the event at position i: its thread's own clock just before it *)
Definition ts (tr : trace) (i : nat) : nat :=
  match nth_error tr i with
  | Some a => C (clk (firstn i tr)) (thr a) (thr a)
  | None => 0
  end.

Lemma ts_old tr a i : i < length tr -> ts (tr ++ [a]) i = ts tr i.
Proof.
  intros H. unfold ts. rewrite nth_error_snoc_lt by auto.
  destruct (nth_error tr i); auto. rewrite firstn_app.
  replace (i - length tr) with 0 by lia. simpl. now rewrite app_nil_r.
Qed.

Lemma ts_new tr a : ts (tr ++ [a]) (length tr) = C (clk tr) (thr a) (thr a).
Proof.
  unfold ts. rewrite nth_error_snoc_eq. rewrite firstn_app, Nat.sub_diag, firstn_all. simpl.
  now rewrite app_nil_r.
Qed.

Record Inv (tr : trace) : Prop := {
  inv_T : forall t i b, nth_error tr i = Some b -> (knowT tr t i <-> ts tr i <= C (clk tr) t (thr b));
  inv_L : forall m i b, nth_error tr i = Some b -> (knowL tr m i <-> ts tr i <= L (clk tr) m (thr b));
  inv_C : forall t u, t <> u -> ~ joined tr u -> C (clk tr) t u < C (clk tr) u u;
  inv_M : forall m u, ~ joined tr u -> L (clk tr) m u < C (clk tr) u u;
  inv_pos : forall t, 1 <= C (clk tr) t t
}.

Ltac eqbs := repeat (match goal with
  | |- context [?a =? ?b] => destruct (Nat.eqb_spec a b); subst
  | H : context [?a =? ?b] |- _ => destruct (Nat.eqb_spec a b); subst end);
  try congruence.

Lemma Inv_nil : Inv [].
Proof.
  constructor; simpl; intros; try (destruct i; discriminate); unfold upd, vbot; eqbs; lia.
Qed.

Lemma toT_dec_char a v :
  toT a v <-> v = thr a \/ match a with Fork _ u => u = v | _ => False end.
Proof.
  unfold toT. split.
  - intros [H|[s ->]]; auto.
  - intros [H|H]; [auto|]. destruct a; try contradiction. subst. right; eauto.
Qed.

Lemma inv_own tr i b : Inv tr -> nth_error tr i = Some b -> ts tr i <= C (clk tr) (thr b) (thr b).
Proof. intros I H. apply (inv_T _ I (thr b) i b H). now apply knowT_own. Qed.

Lemma Inv_snoc tr a : feasible tr -> ok_next tr a -> Inv tr -> Inv (tr ++ [a]).
Proof.
  intros F [Hj Hok] I. set (n := length tr).
  assert (Hn : forall v, ~ knowT tr v n) by (intros v K; apply knowT_lt in K; unfold n in K; lia).
  assert (HnL : forall m, ~ knowL tr m n) by (intros v K; apply knowL_lt in K; unfold n in K; lia).
  constructor.
  - (* threads *)
    intros v i b Hb. rewrite knowT_snoc, clk_snoc.
    apply nth_error_snoc_inv in Hb as [[Hl Hb]|[-> ->]].
    + rewrite ts_old by auto.
      assert (Hi : i <> length tr) by lia.
      pose proof (inv_T _ I v i b Hb) as Iv.
      pose proof (inv_T _ I (thr a) i b Hb) as Ia.
      pose proof (inv_own _ _ _ I Hb) as Own.
      rewrite toT_dec_char, hb_new_char.
      destruct a as [t x|t x|t m|t m|t u|t u|t]; simpl in *.
      * intuition (subst; tauto).
      * intuition (subst; tauto).
      * pose proof (inv_L _ I m i b Hb) as Il. unfold upd, vjoin. eqbs; [|intuition congruence].
        rewrite Nat.max_le_iff. tauto.
      * unfold upd, vinc, upd. eqbs; rewrite ?Iv; try (intuition (auto; lia)).
      * pose proof (inv_T _ I u i b Hb) as Iu. unfold upd, vjoin, vinc, upd. eqbs; rewrite ?Nat.max_le_iff; intuition (auto; try congruence; lia).
      * pose proof (inv_T _ I u i b Hb) as Iu.
        destruct jinc; unfold upd, vjoin, vinc, upd; eqbs; rewrite ?Nat.max_le_iff;
        try (intuition (auto; try congruence; lia)).
      * intuition (subst; tauto).
    + rewrite ts_new.
      pose proof (Hn v) as Hnv. fold n.
      assert (E : knowT tr v n \/ toT a v /\ (n = n \/ hb (tr ++ [a]) n n) <-> toT a v) by tauto.
      rewrite E, toT_dec_char. clear E.
      pose proof (fun H => inv_C _ I v (thr a) H Hj) as HC.
      destruct (Nat.eq_dec v (thr a)) as [->|Hv]; [clear HC|specialize (HC Hv)];
      destruct a as [t x|t x|t m|t m|t u|t u|t]; simpl in *;
      try (pose proof (inv_M _ I m t Hj) as HM);
      try destruct jinc;
      unfold upd, vjoin, vinc, upd; eqbs; intuition (auto; try congruence; try lia).
  - (* locks *)
    intros m i b Hb. rewrite knowL_snoc, clk_snoc.
    apply nth_error_snoc_inv in Hb as [[Hl Hb]|[-> ->]].
    + rewrite ts_old by auto.
      assert (Hi : i <> length tr) by lia.
      pose proof (inv_L _ I m i b Hb) as Im.
      pose proof (inv_T _ I (thr a) i b Hb) as Ia.
      rewrite hb_new_char.
      destruct a as [t x|t x|t m'|t m'|t u|t u|t]; simpl in *;
      try (rewrite <- Im; split; [intros [K|[[s E] _]]; [auto|discriminate]|auto]).
      unfold upd. destruct (Nat.eqb_spec m m') as [<-|Hne].
      * rewrite <- Ia. split.
        { intros [K|[_ [K|[K|[]]]]]; auto; try lia. now apply (holder_knows tr m t F Hok). }
        { intros K. right. split; eauto. }
      * rewrite <- Im. split; [intros [K|[[s E] _]]; [auto|congruence]|auto].
    + rewrite ts_new. pose proof (HnL m) as Hnm. fold n.
      pose proof (inv_M _ I m (thr a) Hj) as HM.
      destruct a as [t x|t x|t m'|t m'|t u|t u|t]; simpl in *;
      try (split; [intros [K|[[s E] _]]; [tauto|discriminate]|lia]).
      unfold upd. destruct (Nat.eqb_spec m m') as [<-|Hne].
      * split; [lia|]. intros _. right. split; eauto.
      * split; [intros [K|[[s E] _]]; [tauto|congruence]|lia].
  - (* own entry strictly largest: threads *)
    intros v w Hne Hjw. rewrite joined_snoc in Hjw. rewrite clk_snoc.
    assert (Hjw' : ~ joined tr w) by tauto.
    pose proof (fun t H => inv_C _ I t w H Hjw') as HC.
    pose proof (fun m => inv_M _ I m w Hjw') as HM.
    destruct a as [t x|t x|t m|t m|t u|t u|t]; simpl in *.
    + auto. + auto.
    + specialize (HM m). pose proof (HC v Hne). pose proof (HC t). unfold upd, vjoin. eqbs; lia.
    + pose proof (HC v Hne). pose proof (HC t). unfold upd, vinc, upd. eqbs; lia.
    + pose proof (HC v Hne). pose proof (HC t). pose proof (HC u). unfold upd, vinc, vjoin, upd. eqbs; lia.
    + assert (w <> u) by (intros ->; apply Hjw; right; eauto).
      pose proof (HC v Hne). pose proof (HC t). pose proof (HC u).
      destruct jinc; unfold upd, vinc, vjoin, upd; eqbs; lia.
    + auto.
  - (* own entry strictly largest: locks *)
    intros m w Hjw. rewrite joined_snoc in Hjw. rewrite clk_snoc.
    assert (Hjw' : ~ joined tr w) by tauto.
    pose proof (fun t H => inv_C _ I t w H Hjw') as HC.
    pose proof (inv_M _ I m w Hjw') as HM.
    destruct a as [t x|t x|t m'|t m'|t u|t u|t]; simpl in *; auto;
    pose proof (HC t); try pose proof (HC u);
    [| | |destruct jinc]; unfold upd, vinc, vjoin, upd; eqbs; lia.
  - intros v. rewrite clk_snoc. pose proof (inv_pos _ I) as P.
    destruct a as [t x|t x|t m'|t m'|t u|t u|t]; simpl in *; auto;
    pose proof (P v); [| | |destruct jinc]; unfold upd, vinc, vjoin, upd; eqbs; lia.
Qed.

Theorem clocks_correct tr : feasible tr -> Inv tr.
Proof. induction 1; [apply Inv_nil|now apply Inv_snoc]. Qed.

End WithJ.

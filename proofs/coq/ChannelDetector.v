(** The detectors over vector clocks (VectorClock without increment at joins, VerifiedFT, the online rules) are precise over channels too. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors VectorClock VectorClockRules VerifiedFT FastTrack OnlineRules.
From Deadheat Require Import ChannelTrace ChannelSync ChannelExact HbSets ChannelClocks.

Section Generic.
Variable D : detector.
Variable cap : chan -> nat.
Notation psets := (psets cap). Notation chb := (chb cap). Notation starts := (starts cap). Notation vclk := (vclk cap). Notation cts := (cts cap).

Definition cdvar_step (s : cstate vc) (f : var -> option (VS D)) (a : cop) : var -> option (VS D) :=
  match a with
  | CRd t x => upd f x (match f x with Some v => rdv D (sT s t) t v | None => None end)
  | CWr t x => upd f x (match f x with Some v => wrv D (sT s t) t v | None => None end)
  | _ => f
  end.
Definition cdstep (s : cstate vc * (var -> option (VS D))) (a : cop) := (vstep (fst s) a, cdvar_step (fst s) (snd s) a).
Definition cdrun (tr : ctrace) := fold_left cdstep tr (cv0 cap, fun _ => Some (v0 D)).

Lemma cdrun_snoc tr a : cdrun (tr ++ [a]) = cdstep (cdrun tr) a.
Proof. unfold cdrun. now rewrite fold_left_app. Qed.
Lemma cdrun_clk tr : fst (cdrun tr) = vclk tr.
Proof. induction tr as [|a tr IH] using rev_ind; [reflexivity|]. rewrite cdrun_snoc, vclk_snoc. simpl. now rewrite IH. Qed.

Record CV (tr : ctrace) (x : var) (s : VS D) : Prop := {
  cv_rf : forall i j a b, i < j -> nth_error tr i = Some a -> nth_error tr j = Some b -> cconflict true x a b -> chb tr i j;
  cv_Wb : forall u k, repW D s u k -> exists j, nth_error tr j = Some (CWr u x) /\ cts tr j u = k;
  cv_Wa : forall i u, nth_error tr i = Some (CWr u x) ->
            exists j u', nth_error tr j = Some (CWr u' x) /\ repW D s u' (cts tr j u') /\ starts tr j i;
  cv_Rb : forall u k, repR D s u k -> exists j, nth_error tr j = Some (CRd u x) /\ cts tr j u = k;
  cv_Ra : forall i u, nth_error tr i = Some (CRd u x) ->
            (exists j u', nth_error tr j = Some (CRd u' x) /\ repR D s u' (cts tr j u') /\ starts tr j i) \/
            (exists j u', nth_error tr j = Some (CWr u' x) /\ repW D s u' (cts tr j u') /\ starts tr j i) }.

Lemma CV_other tr x s a : CV tr x s -> ~ accesses_c x a -> CV (tr ++ [a]) x s.
Proof.
  intros [rf Wb Wa Rb Ra] Hx.
  assert (Q : forall i b, nth_error (tr ++ [a]) i = Some b -> accesses_c x b -> i < length tr /\ nth_error tr i = Some b).
  { intros i b H Ab. apply nth_error_snoc_inv in H as [H|[-> ->]]; [auto|contradiction]. }
  assert (P : forall i b u, nth_error tr i = Some b -> nth_error (tr ++ [a]) i = Some b /\ cts (tr ++ [a]) i u = cts tr i u).
  { intros i b u H. pose proof (nth_error_lt _ _ _ H). rewrite nth_error_snoc_lt, cts_old by auto. auto. }
  assert (Up : forall j b i, nth_error tr j = Some b -> starts tr j i -> starts (tr ++ [a]) j i).
  { intros j b i H K. apply starts_old; auto. eapply nth_error_lt; eauto. }
  constructor.
  - intros i j b c Hij Hb Hc Cf. assert (accesses_c x b /\ accesses_c x c) as [Ab Ac] by (destruct b, c; simpl in *; tauto).
    apply Q in Hb as [Hl Hb]; auto. apply Q in Hc as [Hl' Hc]; auto. apply chb_snoc; eauto.
  - intros u k H. apply Wb in H as (j & Hj & <-). exists j. now apply P.
  - intros i u H. apply Q in H as [Hl H]; [|simpl; auto]. apply Wa in H as (j & u' & Hj & Hr & Hh).
    destruct (P j _ u' Hj) as [Hj' Ej]. exists j, u'. rewrite Ej. eauto.
  - intros u k H. apply Rb in H as (j & Hj & <-). exists j. now apply P.
  - intros i u H. apply Q in H as [Hl H]; [|simpl; auto].
    apply Ra in H as [(j & u' & Hj & Hr & Hh)|(j & u' & Hj & Hr & Hh)]; [left|right];
    destruct (P j _ u' Hj) as [Hj' Ej]; exists j, u'; rewrite Ej; eauto.
Qed.

(** ** One access *)
Section Access.
Variables (tr : ctrace) (t : tid) (x : var) (w : bool) (s : VS D).
Let a : cop := if w then CWr t x else CRd t x.
Hypothesis F : cfeasible cap tr.
Hypothesis Ht : ~ cjoined tr t.
Hypothesis V : CV tr x s.
Notation c := (sT (vclk tr) t).

Lemma kts i b u : nth_error tr i = Some b -> access_by_ b u -> (chb (tr ++ [a]) i (length tr) <-> cts tr i u <= c u).
Proof.
  intros Hb Hu. rewrite (access_happens_after cap tr a t i F); [|unfold a; destruct w; exact I|unfold a; destruct w; reflexivity].
  apply (rl_T _ _ _ (ci_tells _ _ _ (clocks_exact cap tr F)) t i b u Hb Hu).
Qed.
Lemma below i j b u : nth_error tr j = Some b -> access_by_ b u -> starts tr j i -> cts tr j u <= c u ->
  chb (tr ++ [a]) i (length tr) /\ starts (tr ++ [a]) (length tr) i.
Proof.
  intros Hb Hu Hs Hk. apply (chb_below cap tr t x w i j); auto; [eapply nth_error_lt; eauto|]. now apply (kts j b u Hb Hu).
Qed.
Lemma own i b : nth_error tr i = Some b -> access_by_ b t -> cts tr i t <= c t.
Proof.
  intros Hb Hu. apply (rl_T _ _ _ (ci_tells _ _ _ (clocks_exact cap tr F)) t i b t Hb Hu).
  apply (ex_T _ _ _ (psets_exact cap tr F)). exists i, b. split; auto. left. split; [destruct b; simpl in *; try contradiction; auto|].
  eapply r_step; [constructor|]. apply e_self. eapply nth_error_lt; eauto.
Qed.

(** An access of t in its present instant is known to nobody else, so everything that conflicts with it is known to t. *)
Lemma same_instant j b : nth_error tr j = Some b -> access_by_ b t -> accesses_c x b -> cts tr j t = c t ->
  forall i d u, nth_error tr i = Some d -> access_by_ d u -> cconflict true x d b \/ cconflict true x b d -> chb (tr ++ [a]) i (length tr).
Proof.
  intros Hb Hbt Hx Ej i d u Hd Hu Cf. apply (kts i d u Hd Hu).
  apply (rl_T _ _ _ (ci_tells _ _ _ (clocks_exact cap tr F)) t i d u Hd Hu).
  assert (Cf2 : cconflict true x d b /\ cconflict true x b d) by (destruct d, b; simpl in *; tauto).
  assert (Acts : forall e v, access_by_ e v -> acts e v) by (intros e v; destruct e; simpl; try contradiction; auto).
  destruct (Nat.lt_trichotomy i j) as [Hij|[->|Hij]].
  - destruct (cv_rf _ _ _ V i j d b Hij Hd Hb (proj1 Cf2)) as [_ H].
    apply (ex_T _ _ _ (psets_exact cap tr F)). exists j, b. split; auto.
  - assert (d = b) by congruence. subst d. apply (ex_T _ _ _ (psets_exact cap tr F)). exists j, b. split; auto. left. split; auto.
    eapply r_step; [constructor|]. apply e_self. eapply nth_error_lt; eauto.
  - destruct (cv_rf _ _ _ V j i b d Hij Hb Hd (proj2 Cf2)) as [_ H].
    destruct (Nat.eq_dec u t) as [->|Hn].
    + apply (rl_T _ _ _ (ci_tells _ _ _ (clocks_exact cap tr F)) t i d t Hd Hu). now apply (own i d).
    + exfalso. assert (K : sT (psets tr) u j) by (apply (ex_T _ _ _ (psets_exact cap tr F)); exists i, d; split; auto).
      apply (rl_T _ _ _ (ci_tells _ _ _ (clocks_exact cap tr F)) u j b t Hb Hbt) in K.
      pose proof (ci_T _ _ _ (clocks_exact cap tr F) u t Hn Ht). lia.
Qed.

Lemma cv_old_rf : (forall i b, nth_error tr i = Some b -> cconflict true x b a -> chb (tr ++ [a]) i (length tr)) ->
  forall i j b d, i < j -> nth_error (tr ++ [a]) i = Some b -> nth_error (tr ++ [a]) j = Some d -> cconflict true x b d -> chb (tr ++ [a]) i j.
Proof.
  intros H i j b d Hij Hb Hd Cf. apply nth_error_snoc_inv in Hd as [[Hl Hd]|[-> ->]];
  rewrite nth_error_snoc_lt in Hb by lia; [apply chb_snoc; auto; eapply cv_rf; eauto|eauto].
Qed.
Lemma cv_race i b u : nth_error tr i = Some b -> access_by_ b u -> cconflict true x b a -> c u < cts tr i u -> crace_on cap true (tr ++ [a]) x.
Proof.
  intros Hb Hu Cf Hk. pose proof (nth_error_lt _ _ _ Hb). exists (length tr), i, b, a.
  rewrite nth_error_snoc_lt, nth_error_snoc_eq by auto. repeat split; auto. rewrite (kts i b u Hb Hu). lia.
Qed.
End Access.

Lemma CV_read tr t x s s' : cfeasible cap tr -> ~ cjoined tr t -> CV tr x s -> rdv D (sT (vclk tr) t) t s = Some s' -> CV (tr ++ [CRd t x]) x s'.
Proof.
  intros F Ht V E. pose proof (ci_pos _ _ _ (clocks_exact cap tr F) t) as Hp. apply (o_rd_some D _ _ _ _ Hp) in E.
  pose proof (kts tr t x false F) as K. pose proof (below tr t x false F) as Bl. pose proof (cv_old_rf tr t x false s V) as Rf. cbn in K, Bl, Rf.
  set (a := CRd t x) in *. pose proof (nth_error_snoc_eq tr a) as Nn. pose proof (cts_new cap tr a t) as Tn.
  assert (P : forall i b u, nth_error tr i = Some b -> nth_error (tr ++ [a]) i = Some b /\ cts (tr ++ [a]) i u = cts tr i u).
  { intros i b u H. pose proof (nth_error_lt _ _ _ H). rewrite nth_error_snoc_lt, cts_old by auto. auto. }
  assert (Up : forall j b i, nth_error tr j = Some b -> starts tr j i -> starts (tr ++ [a]) j i).
  { intros j b i H Q. apply starts_old; auto. eapply nth_error_lt; eauto. }
  assert (Self : starts (tr ++ [a]) (length tr) (length tr)) by constructor.
  destruct E as [[-> Hr]|(HW & EW & Rn & Rsub & Rdrop)].
  - destruct (cv_Rb _ _ _ V _ _ Hr) as (j & Hj & Ej). destruct V as [rf Wb Wa Rb Ra].
    pose proof (same_instant tr t x false s F Ht (Build_CV _ _ _ rf Wb Wa Rb Ra) j (CRd t x) Hj eq_refl eq_refl Ej) as Si. cbn in Si.
    constructor.
    + apply Rf. intros i b Hb Cf. destruct b as [| v y| | | | | | | | |]; simpl in Cf; try tauto. destruct Cf as [-> _].
      apply (Si i (CWr v x) v Hb eq_refl). simpl. auto.
    + intros u k H. apply Wb in H as (i & Hi & <-). exists i. now apply P.
    + intros i u H. apply nth_error_snoc_inv in H as [[Hl H]|[_ Q]]; [|discriminate]. apply Wa in H as (i' & u' & Hi & Hri & Hh).
      destruct (P i' _ u' Hi) as [Hi' Ei]. exists i', u'. rewrite Ei. eauto.
    + intros u k H. apply Rb in H as (i & Hi & <-). exists i. now apply P.
    + intros i u H. apply nth_error_snoc_inv in H as [[Hl H]|[-> Q]].
      * apply Ra in H as [(i' & u' & Hi & Hri & Hh)|(i' & u' & Hi & Hri & Hh)]; [left|right];
        destruct (P i' _ u' Hi) as [Hi' Ei]; exists i', u'; rewrite Ei; eauto.
      * left. exists (length tr), t. rewrite Tn. auto.
  - destruct V as [rf Wb Wa Rb Ra]. constructor.
    + apply Rf. intros i b Hb Cf. destruct b as [| v y| | | | | | | | |]; simpl in Cf; try tauto. destruct Cf as [-> _].
      destruct (Wa i v Hb) as (j & u' & Hj & Hr & Hs). apply (Bl i j (CWr u' x) u'); simpl; auto.
    + intros u k H. apply EW in H. apply Wb in H as (i & Hi & <-). exists i. now apply P.
    + intros i u H. apply nth_error_snoc_inv in H as [[Hl H]|[_ Q]]; [|discriminate]. apply Wa in H as (i' & u' & Hi & Hri & Hh).
      destruct (P i' _ u' Hi) as [Hi' Ei]. exists i', u'. rewrite Ei. repeat split; eauto. now apply EW.
    + intros u k H. apply Rsub in H as [H|[-> ->]]; [apply Rb in H as (i & Hi & <-); exists i; now apply P|]. exists (length tr). auto.
    + intros i u H. apply nth_error_snoc_inv in H as [[Hl H]|[-> Q]]; [|left; exists (length tr), t; rewrite Tn; auto].
      apply Ra in H as [(i' & u' & Hi & Hri & Hh)|(i' & u' & Hi & Hri & Hh)]; destruct (P i' _ u' Hi) as [Hi' Ei].
      * left. destruct (Rdrop _ _ Hri) as [Hk|Hd]; [exists i', u'; rewrite Ei; eauto|].
        exists (length tr), t. rewrite Tn. repeat split; auto. apply (Bl i i' (CRd u' x) u'); simpl; auto.
        destruct Hd as [->|Hd]; [|auto]. apply (own tr t F i' (CRd t x)); auto. reflexivity.
      * right. exists i', u'. rewrite Ei. repeat split; eauto. now apply EW.
Qed.

Lemma CV_write tr t x s s' : cfeasible cap tr -> ~ cjoined tr t -> CV tr x s -> wrv D (sT (vclk tr) t) t s = Some s' -> CV (tr ++ [CWr t x]) x s'.
Proof.
  intros F Ht V E. pose proof (ci_pos _ _ _ (clocks_exact cap tr F) t) as Hp. apply (o_wr_some D _ _ _ _ Hp) in E.
  pose proof (below tr t x true F) as Bl. pose proof (cv_old_rf tr t x true s V) as Rf. cbn in Bl, Rf.
  set (a := CWr t x) in *. pose proof (nth_error_snoc_eq tr a) as Nn. pose proof (cts_new cap tr a t) as Tn.
  assert (P : forall i b u, nth_error tr i = Some b -> nth_error (tr ++ [a]) i = Some b /\ cts (tr ++ [a]) i u = cts tr i u).
  { intros i b u H. pose proof (nth_error_lt _ _ _ H). rewrite nth_error_snoc_lt, cts_old by auto. auto. }
  assert (Self : starts (tr ++ [a]) (length tr) (length tr)) by constructor.
  assert (G : (forall i b, nth_error tr i = Some b -> accesses_c x b -> chb (tr ++ [a]) i (length tr) /\ starts (tr ++ [a]) (length tr) i) /\
              repW D s' t (sT (vclk tr) t t) /\
              (forall u k, repW D s' u k -> repW D s u k \/ (u = t /\ k = sT (vclk tr) t t)) /\
              (forall u k, repR D s' u k -> repR D s u k)).
  { destruct E as [[-> Hr]|(HK & Wn & Wsub & Rsub)].
    - destruct (cv_Wb _ _ _ V _ _ Hr) as (j & Hj & Ej). split; [|auto]. intros i b Hb Ab.
      assert (exists u, access_by_ b u) as [u Hu] by (destruct b; simpl in *; try contradiction; eauto).
      assert (Cb : chb (tr ++ [a]) i (length tr)).
      { apply (same_instant tr t x true s F Ht V j (CWr t x) Hj eq_refl eq_refl Ej i b u Hb Hu). destruct b; simpl in *; subst; auto. }
      split; [exact Cb|]. exact (chb_start cap tr t x true i Cb).
    - split; [|auto]. intros i b Hb Ab. destruct b as [u y|u y| | | | | | | | |]; simpl in Ab; try tauto; subst y.
      + destruct (cv_Ra _ _ _ V i u Hb) as [(j & u' & Hj & Hr & Hs)|(j & u' & Hj & Hr & Hs)].
        * apply (Bl i j (CRd u' x) u'); simpl; auto.
        * apply (Bl i j (CWr u' x) u'); simpl; auto.
      + destruct (cv_Wa _ _ _ V i u Hb) as (j & u' & Hj & Hr & Hs). apply (Bl i j (CWr u' x) u'); simpl; auto. }
  destruct G as (K & Wn & Wsub & Rsub). destruct V as [rf Wb Wa Rb Ra]. constructor.
  - apply Rf. intros i b Hb Cf. apply (K i b Hb). destruct b; simpl in *; tauto.
  - intros u k H. apply Wsub in H as [H|[-> ->]]; [apply Wb in H as (i & Hi & <-); exists i; now apply P|]. exists (length tr). auto.
  - intros i u H. exists (length tr), t. rewrite Tn. repeat split; auto.
    apply nth_error_snoc_inv in H as [[Hl H]|[-> _]]; auto. apply (K i _ H). reflexivity.
  - intros u k H. apply Rsub in H. apply Rb in H as (i & Hi & <-). exists i. now apply P.
  - intros i u H. right. exists (length tr), t. rewrite Tn. repeat split; auto.
    apply nth_error_snoc_inv in H as [[Hl H]|[-> Q]]; [|discriminate]. apply (K i _ H). reflexivity.
Qed.

Theorem cdrun_inv tr x : cfeasible cap tr -> match snd (cdrun tr) x with Some s => CV tr x s | None => crace_on cap true tr x end.
Proof.
  intros F. induction F as [|tr a F IH Hok].
  - assert (N : forall j (b : cop), nth_error [] j <> Some b) by (intros [|j] b; discriminate).
    simpl. constructor; intros; try (exfalso; eapply N; eauto; fail); destruct (o_v0 D u k); contradiction.
  - rewrite cdrun_snoc. unfold cdstep. simpl. rewrite cdrun_clk. pose proof (ci_pos _ _ _ (clocks_exact cap tr F)) as Hp.
    assert (Keep : crace_on cap true tr x -> crace_on cap true (tr ++ [a]) x).
    { intros (j & i & b & d & Hij & Hb & Hd & Cf & Hh). pose proof (nth_error_lt _ _ _ Hd).
      exists j, i, b, d. rewrite !nth_error_snoc_lt by lia. repeat split; auto. now rewrite chb_snoc. }
    assert (Oth : ~ accesses_c x a -> match snd (cdrun tr) x with Some s => CV (tr ++ [a]) x s | None => crace_on cap true (tr ++ [a]) x end).
    { intros Hn. destruct (snd (cdrun tr) x); [now apply CV_other|auto]. }
    destruct Hok as [Hj _].
    destruct a as [t y|t y|t m|t m|t u|t u|t c|t c|t u c|t c|t c]; simpl; try (apply Oth; intros []).
    + unfold upd. destruct (Nat.eqb_spec x y) as [->|Hne]; [|apply Oth; simpl; congruence].
      destruct (snd (cdrun tr) y) as [s|]; auto.
      destruct (rdv D (sT (vclk tr) t) t s) as [s'|] eqn:E; [eapply CV_read; eauto; apply Hj; reflexivity|].
      apply (o_rd_none D _ _ _ (Hp t)) in E as (u & k & Hr & Hk). destruct (cv_Wb _ _ _ IH _ _ Hr) as (j & Hb & <-).
      apply (cv_race tr t y false F j (CWr u y) u Hb eq_refl); simpl; auto.
    + unfold upd. destruct (Nat.eqb_spec x y) as [->|Hne]; [|apply Oth; simpl; congruence].
      destruct (snd (cdrun tr) y) as [s|]; auto.
      destruct (wrv D (sT (vclk tr) t) t s) as [s'|] eqn:E; [eapply CV_write; eauto; apply Hj; reflexivity|].
      apply (o_wr_none D _ _ _ (Hp t)) in E as (u & k & [Hr|Hr] & Hk).
      * destruct (cv_Rb _ _ _ IH _ _ Hr) as (j & Hb & <-). apply (cv_race tr t y true F j (CRd u y) u Hb eq_refl); simpl; auto.
      * destruct (cv_Wb _ _ _ IH _ _ Hr) as (j & Hb & <-). apply (cv_race tr t y true F j (CWr u y) u Hb eq_refl); simpl; auto.
Qed.

(** Over locks, threads and channels: x is flagged if and only if there is a race on it. *)
Theorem channel_precise tr x : cfeasible cap tr -> (snd (cdrun tr) x = None <-> crace_on cap true tr x).
Proof.
  intros F. pose proof (cdrun_inv tr x F) as H. destruct (snd (cdrun tr) x) as [s|]; [|tauto].
  split; [discriminate|]. intros (j & i & a & b & Hij & Ha & Hb & Cf & Hh). exfalso. apply Hh. eapply cv_rf; eauto.
Qed.
End Generic.

Theorem vector_clock_over_channels cap tr x : cfeasible cap tr -> (snd (cdrun (VCj false) cap tr) x = None <-> crace_on cap true tr x).
Proof. apply channel_precise. Qed.
Theorem fasttrack_over_channels cap tr x : cfeasible cap tr -> (snd (cdrun FastTrack cap tr) x = None <-> crace_on cap true tr x).
Proof. apply channel_precise. Qed.
Theorem verifiedft_over_channels cap tr x : cfeasible cap tr -> (snd (cdrun VerifiedFT cap tr) x = None <-> crace_on cap true tr x).
Proof. apply channel_precise. Qed.

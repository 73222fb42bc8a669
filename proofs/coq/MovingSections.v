(** The lemmas on the order of steps (000, Section 5.1): Lemmas 4 and 5, on what threads access, and Lemmas 6 and 7, which move the section that is
    completed first to the front of a run.

    All follow from the invariant of `Reordering.v`. As long as no section is completed, no bigger step is made, and every step is one of the section that
    its thread is in; and from what the bigger steps have reached, the state of the run is reached again. Where the paper has similar memories, they are
    the same here, metadata included. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Lang Instrument BiggerSteps Reordering.

(** Runs, with the threads that make the steps and the instructions that these execute. *)
Inductive runs (P0 : pool) (m0 : mem) : list (tid * instr) -> pool -> mem -> Prop :=
| runs_nil : runs P0 m0 [] P0 m0
| runs_snoc l P m t j li G o P' m' : runs P0 m0 l P m -> P t = Some (j :: li, G) -> step t P m o (Good P' m') -> runs P0 m0 (l ++ [(t, j)]) P' m'.

Lemma runs_steps P0 m0 P m : (exists l, runs P0 m0 l P m) <-> exists tr, steps P0 m0 tr P m.
Proof.
  split.
  - intros [l H]. induction H as [|l P m t j li G o P' m' H [tr IH] Hp St]; [exists []; constructor|]. eexists. eapply steps_snoc; eauto.
  - intros [tr H]. induction H as [|tr P m t o P' m' H [l IH] St]; [exists []; constructor|].
    destruct (step_exec _ _ _ _ _ St) as (j & li & G & Hp & _). eexists. eapply runs_snoc; eauto.
Qed.

Lemma runs_app P0 m0 l P m l' P' m' : runs P0 m0 l P m -> runs P m l' P' m' -> runs P0 m0 (l ++ l') P' m'.
Proof.
  intros H H'. induction H' as [|l' P1 m1 t j li G o P' m' H' IH Hp St]; [now rewrite app_nil_r|]. rewrite app_assoc. eapply runs_snoc; eauto.
Qed.

Section Moving.
Variable Z : nat.
Notation ins := (ins Z).
Notation inss := (inss Z).
Notation src := (src Z).
Notation big := (big Z).
Notation inst := (inst Z).
Notation suffix := (suffix Z).
Notation WF := (WF Z).
Notation RI := (RI Z).

(** ** As long as no section is completed *)

Lemma after_other P t i r G v : v <> t -> P v <> None -> pool_ok P i -> after P t i r G v = P v.
Proof. intros Hv Hn Hok. destruct i; simpl in *; rewrite ?upd_other; auto. intros ->. congruence. Qed.

Lemma after_own P t i r G : P t <> None -> pool_ok P i -> after P t i r G t = Some (r, G).
Proof. intros Hn Hok. destruct i; simpl in *; try apply upd_same. rewrite upd_other by congruence. apply upd_same. Qed.

(** Of what thread t has to do, r is left, or less. *)
Definition within (r : list instr) (t : tid) (P : pool) : Prop := exists pre li G, r = pre ++ li /\ P t = Some (li, G).

Lemma big_own t P m P' m' i r G : big t P m (Good P' m') -> P t = Some (i :: r, G) -> exists G', P' t = Some (r, G').
Proof. intros B Hp. inversion B as [i' r' G1 G' m1 Hp' Hok Se E|]; subst. rewrite Hp in Hp'. injection Hp' as <- <- <-. exists G'. apply after_own; congruence. Qed.
Lemma big_other t P m P' m' v : big t P m (Good P' m') -> v <> t -> P v <> None -> P' v = P v.
Proof. intros B Hv Hn. inversion B; subst. now apply after_other. Qed.
Lemma big_within t P m P' m' r v : big t P m (Good P' m') -> within r v P -> within r v P'.
Proof.
  intros B (pre & li & G & -> & Hv). destruct (Nat.eq_dec v t) as [->|Hne].
  - inversion B as [i li' G1 G' m1 Hp Hok Se E|]; subst. rewrite Hp in Hv. injection Hv as <- <-. exists (pre ++ [i]), li', G'. rewrite <- app_assoc.
    split; auto. apply after_own; congruence.
  - exists pre, li, G. split; auto. rewrite (big_other _ _ _ _ _ _ B Hne); congruence.
Qed.

(** What a thread has to do is at most the sections of what it has to do in the bigger steps. *)
Lemma RI_length Pc mc P m A t li G l Gc : RI Pc mc P m A -> P t = Some (li, G) -> Pc t = Some (l, Gc) -> length l <= length (inss t li).
Proof.
  intros I Hp Hpc. pose proof (RI_suffix _ _ _ _ _ _ I t) as S_. rewrite Hp, Hpc in S_. destruct li as [|i r]; [subst; simpl; lia|].
  destruct S_ as (done & rest & E & _ & ->). change (inss t (i :: r)) with (ins t i ++ inss t r). rewrite E, !app_length. lia.
Qed.

Lemma RI_within Pc mc P m A r t l Gc : RI Pc mc P m A -> within r t P -> Pc t = Some (l, Gc) -> length l <= length (inss t r).
Proof.
  intros I (pre & li & G & -> & Hp) Hpc. pose proof (RI_length _ _ _ _ _ _ _ _ _ _ I Hp Hpc) as L.
  assert (E : inss t (pre ++ li) = inss t pre ++ inss t li) by apply flat_map_app. rewrite E, app_length. lia.
Qed.

(** A bigger step leaves its thread with less to do, for good. *)
Definition shorter (P0 P : pool) : Prop := exists t i r G, P0 t = Some (i :: r, G) /\ within r t P.

Lemma big_shorter P0 P m t P' m' : P = P0 \/ shorter P0 P -> big t P m (Good P' m') -> shorter P0 P'.
Proof.
  intros [->|(v & i & r & G & H0 & Hw)] B.
  - inversion B as [i r G G' m1 Hp Hok Se E|]; subst. exists t, i, r, G. split; auto. exists [], r, G'. split; auto. apply after_own; congruence.
  - exists v, i, r, G. split; auto. eapply big_within; eauto.
Qed.

Lemma shorter_no_suffix P0 P m Pc mc A : shorter P0 P -> RI Pc mc P m A -> ~ suffix P0 Pc.
Proof.
  intros (t & i & r & G & H0 & Hw) I S0. specialize (S0 t). rewrite H0 in S0. destruct (Pc t) as [[l Gc]|] eqn:Hpc; [|contradiction].
  pose proof (RI_within _ _ _ _ _ _ _ _ _ I Hw Hpc) as L. destruct S0 as (done & rest & _ & Hr & ->). rewrite app_length in L. destruct rest; [congruence|simpl in L; lia].
Qed.

(** Until then, every step of a run is one that its thread has made in the section it is in. *)
Lemma RI_runs P0 m0 Q l Pc mc : WF P0 m0 -> (forall t, Q t = inst P0 t) -> runs Q m0 l Pc mc ->
  exists P m A, RI Pc mc P m A /\ (P = P0 /\ m = m0 /\ (forall v k, In (v, k) l -> In k (A v)) \/ shorter P0 P).
Proof.
  intros W E H. induction H as [|l Pc mc t j li G o Pc' mc' H IH Hpc St].
  - exists P0, m0, (fun _ => []). split; [now apply RI_start|]. left. split; [auto|split; [auto|intros v k []]].
  - destruct IH as (P & m & A & I & Hs). destruct (RI_step _ _ _ _ _ _ _ _ _ I St) as (P' & m' & A' & I' & Hb). exists P', m', A'. split; auto.
    destruct Hb as [(-> & -> & HA)|B]; [|right; eapply big_shorter; [|exact B]; tauto]. destruct Hs as [(-> & -> & Hl)|Hs]; auto. left. split; auto. split; auto.
    rewrite (HA _ _ _ Hpc). intros v k Hk. apply in_app_or in Hk as [Hk|[Hk|[]]].
    + specialize (Hl v k Hk). destruct (Nat.eq_dec v t) as [->|Hv]; [rewrite upd_same; apply in_or_app; auto|now rewrite upd_other].
    + injection Hk as <- <-. rewrite upd_same. apply in_or_app. simpl. auto.
Qed.

Lemma RI_unfinished P0 m0 Q l Pc mc : WF P0 m0 -> (forall t, Q t = inst P0 t) -> runs Q m0 l Pc mc -> suffix P0 Pc ->
  exists A, RI Pc mc P0 m0 A /\ forall v k, In (v, k) l -> In k (A v).
Proof.
  intros W E H S0. destruct (RI_runs _ _ _ _ _ _ W E H) as (P & m & A & I & [(-> & -> & Hl)|Hs]); [eauto|].
  elim (shorter_no_suffix _ _ _ _ _ _ Hs I S0).
Qed.

(** ** Where a section begins *)

(** The beginning of a section: none of the steps within one looks like it. *)
Definition begins (t : tid) (l : list instr) : bool :=
  match l with
  | Assign (U _) _ :: _ | Lock _ :: _ | Wait _ :: _ => true
  | Assert (Get Tmp1) (Get Tmp2) :: _ => false
  | Assert _ _ :: _ => true
  | Load Tmp1 (MC v o) :: Store _ (ML _ _) :: _ | Load Tmp1 (MC v o) :: Load Tmp2 _ :: _ => (v =? t) && (o =? 0)
  | _ => false
  end.

Lemma ins_begins t i l : t < Z -> src i -> begins t (ins t i ++ l) = true.
Proof.
  intros Ht Hs. unfold Instrument.ins, set, set_at, merge, merge_at. destruct Z as [|n]; [lia|].
  destruct i as [[a| |] e|[a| |] [x|k| | | | |]|e [x|k| | | | |]|[x|k| | | | |]|[x|k| | | | |]|u b|u|e1 e2]; simpl in *; try contradiction; try reflexivity;
  try (now rewrite Nat.eqb_refl).
  destruct e1 as [|[| |]| |]; simpl in *; tauto.
Qed.

(** Nowhere in l, whatever follows. *)
Definition inner (t : tid) (l : list instr) : Prop := forall done x rest, l = done ++ x :: rest -> forall l', begins t (x :: rest ++ l') = false.

Lemma inner_nil t : inner t [].
Proof. intros [|]; discriminate. Qed.
Lemma inner_cons t x l : (forall l', begins t (x :: l ++ l') = false) -> inner t l -> inner t (x :: l).
Proof. intros Hx Hl [|y done] z rest E l'; injection E as -> E; [now subst|]. eapply Hl; eauto. Qed.
Lemma inner_app t l1 l2 : inner t l1 -> inner t l2 -> inner t (l1 ++ l2).
Proof.
  intros H1 H2. induction l1 as [|x l1 IH]; [exact H2|]. simpl. apply inner_cons.
  - intros l'. rewrite <- app_assoc. apply (H1 [] x l1 eq_refl).
  - apply IH. intros done y rest -> l'. apply (H1 (x :: done) y rest eq_refl).
Qed.
Lemma inner_loop t body os : (forall o : nat, In o os -> inner t (body o)) -> inner t (flat_map body os).
Proof. induction os as [|o os IH]; intros H; simpl; [apply inner_nil|]. apply inner_app; [apply H; simpl; auto|apply IH; intros; apply H; simpl; auto]. Qed.

Ltac inner := repeat first
  [ apply inner_nil | apply inner_app | apply inner_loop; intros ?o ?Ho | apply inner_cons; [intros; reflexivity|] | progress unfold move, inc, max, lea ].

Lemma ins_inner t i : src i -> (forall u, i = Wait u -> u <> t) -> inner t (tl (ins t i)).
Proof.
  intros Hs Hw. unfold Instrument.ins, hb_check, check_at, merge, merge_at, set, set_at.
  assert (Ho : forall n o, In o (seq 1 n) -> (o =? 0) = false) by (intros n o H; apply in_seq in H; apply Nat.eqb_neq; lia).
  destruct Z as [|n]; destruct i as [[a| |] e|[a| |] [x|k| | | | |]|e [x|k| | | | |]|[x|k| | | | |]|[x|k| | | | |]|u b|u|e1 e2]; try contradiction;
  cbn [seq flat_map app tl move inc max lea]; inner.
  1, 2: apply inner_cons; [intros; cbn; rewrite (Ho n) by assumption; apply andb_false_r|inner].
  assert (Hu : (u =? t) = false) by (apply Nat.eqb_neq; auto).
  apply inner_cons; [intros; cbn; now rewrite Hu|]. inner. apply inner_cons; [intros; cbn; now rewrite Hu|inner].
Qed.

Lemma loop_length (body : nat -> list instr) c os : (forall o, length (body o) = c) -> length (flat_map body os) = length os * c.
Proof. intros H. induction os as [|o os IH]; simpl; auto. now rewrite app_length, H, IH. Qed.

(** Two sections at the same place are as long. *)
Lemma same_length t i i' l l' : t < Z -> src i -> src i' -> ins t i ++ l = ins t i' ++ l' -> l = l'.
Proof.
  intros Ht Hs Hs' E. assert (L : length (ins t i) = length (ins t i') -> l = l').
  { generalize dependent (ins t i'). generalize (ins t i). induction l0 as [|x l0 IH]; intros [|y l1] E L; simpl in *; try discriminate; auto.
    injection E as _ E. injection L as L. eauto. }
  revert E L. unfold Instrument.ins, hb_check, check_at, merge, merge_at, set, set_at.
  destruct Z as [|n]; [lia|].
  destruct i as [[a| |] e|[a| |] [x|k| | | | |]|e [x|k| | | | |]|[x|k| | | | |]|[x|k| | | | |]|u b|u|e1 e2]; try contradiction;
  destruct i' as [[a'| |] e'|[a'| |] [x'|k'| | | | |]|e' [x'|k'| | | | |]|[x'|k'| | | | |]|[x'|k'| | | | |]|u' b'|u'|e1' e2']; try contradiction;
  cbn [seq flat_map app move inc max lea]; intros E L; try discriminate.
  3, 4: injection E as -> _ E; rewrite <- !app_assoc in E; apply app_inv_head in E; discriminate.
  all: apply L; cbn [length]; rewrite ?app_length; cbn [length]; rewrite ?app_length; rewrite ?(loop_length _ 2), ?(loop_length _ 3), ?(loop_length _ 4) by reflexivity; reflexivity.
Qed.

(** If what is left of a thread's code begins with a section, the thread is in none. *)
Lemma section_begins t i i' done rest r l : t < Z -> src i -> src i' -> (done <> [] -> forall u, i' = Wait u -> u <> t) ->
  ins t i' = done ++ rest -> rest <> [] -> rest ++ inss t r = ins t i ++ l -> done = [] /\ inss t r = l.
Proof.
  intros Ht Hs Hs' Hw E Hr El. assert (D : done = []).
  { destruct done as [|x done]; auto. exfalso. destruct rest as [|y rest]; [congruence|].
    pose proof (ins_inner t i' Hs' (Hw ltac:(discriminate))) as N. rewrite E in N. specialize (N done y rest eq_refl (inss t r)).
    change (y :: rest ++ inss t r) with ((y :: rest) ++ inss t r) in N. rewrite El, ins_begins in N by auto. discriminate. }
  split; auto. subst done. simpl in E. rewrite <- E in El. eapply same_length; [exact Ht| | |exact El]; auto.
Qed.

(** ** Lemmas 4 and 5 *)

(** The next step of a thread is one of its section. *)
Lemma RI_next Pc mc P m A t j li Gc : RI Pc mc P m A -> Pc t = Some (j :: li, Gc) ->
  exists i r G suf, P t = Some (i :: r, G) /\ ins t i = A t ++ j :: suf /\ li = suf ++ inss t r.
Proof.
  intros I Hpc. destruct (P t) as [[[|i r] G]|] eqn:Hp; [apply (ri_end _ _ _ _ _ _ I) in Hp as [Hp _]; congruence| |apply (ri_none _ _ _ _ _ _ I) in Hp as [Hp _]; congruence].
  destruct (ri_thr _ _ _ _ _ _ I _ _ _ _ Hp) as (suf & Gc' & mt & Ei & Hsf & Hpc' & _).
  rewrite Hpc in Hpc'. destruct suf as [|j' suf]; [congruence|]. injection Hpc' as <- -> _. exists i, r, G, suf. auto.
Qed.

(** What it accesses is not within the section that another thread is in. *)
Lemma step_apart Pc mc P m A t j li Gc o R v iv rv Gv p : RI Pc mc P m A -> Pc t = Some (j :: li, Gc) -> step t Pc mc o R ->
  v <> t -> P v = Some (iv :: rv, Gv) -> A v <> [] -> accs j p -> ~ fp v iv p.
Proof.
  intros I Hpc St Hv Hpv HAv Hj. destruct (step_exec _ _ _ _ _ St) as (j' & li' & G' & Hpc' & Hok & _ & HR). rewrite Hpc in Hpc'. injection Hpc' as <- <- <-.
  assert (Hnb : exec t j Gc mc <> Block) by (destruct R as [Pc' mc'|]; [destruct HR as (G' & -> & _)|rewrite HR]; discriminate).
  destruct (RI_next _ _ _ _ _ _ _ _ _ I Hpc) as (i & r & G & suf & Hp & Ei & _).
  apply (sections_apart _ _ _ _ _ _ I t i r G j suf Gc v iv rv Gv p Hp Ei (fun _ => conj Hok Hnb) Hv Hpv HAv).
  eapply accs_fp; [eapply src_head; eauto| |exact Hj]. rewrite Ei. apply in_or_app. simpl. auto.
Qed.

Lemma RI_same_done Pc mc P m A Pc' mc' P' m' A' t i r G G' : RI Pc mc P m A -> RI Pc' mc' P' m' A' -> P t = Some (i :: r, G) -> P' t = Some (i :: r, G') ->
  Pc t = Pc' t -> A t = A' t.
Proof.
  intros I I' Hp Hp' E. destruct (ri_thr _ _ _ _ _ _ I _ _ _ _ Hp) as (suf & Gc & mt & Ei & _ & Hc & _).
  destruct (ri_thr _ _ _ _ _ _ I' _ _ _ _ Hp') as (suf' & Gc' & mt' & Ei' & _ & Hc' & _). rewrite E, Hc' in Hc. injection Hc as Hc _.
  apply app_inv_tail in Hc as ->. rewrite Ei in Ei'. now apply app_inv_tail in Ei'.
Qed.

(** While t is in the section of i, its steps are of that section, and what that may access, the steps of other threads do not. *)
Lemma RI_under_way Pc mc P m A t i r G l Pc' mc' : RI Pc mc P m A -> P t = Some (i :: r, G) /\ A t <> [] \/ within r t P -> runs Pc mc l Pc' mc' ->
  exists P' m' A', RI Pc' mc' P' m' A' /\
  (P' t = Some (i :: r, G) /\ A' t <> [] /\ (forall v k, In (v, k) l -> v = t /\ In k (ins t i) \/ v <> t /\ forall p, accs k p -> ~ fp t i p) \/ within r t P').
Proof.
  intros I Hp H. induction H as [|l P1 m1 v k li Gk o P2 m2 H IH Hk St].
  - exists P, m, A. split; auto. destruct Hp as [[Hp HA]|Hp]; [left|auto]. split; [auto|split; [auto|intros v k []]].
  - destruct IH as (P' & m' & A' & I' & C). destruct (RI_step _ _ _ _ _ _ _ _ _ I' St) as (P'' & m'' & A'' & I'' & B). exists P'', m'', A''. split; auto.
    destruct C as [(Hp' & HA & Hl)|C]; [|right; destruct B as [(-> & _)|B]; [auto|eapply big_within; eauto]].
    destruct (Nat.eq_dec v t) as [->|Hv].
    + destruct B as [(-> & _ & EA)|B]; [left|right; destruct (big_own _ _ _ _ _ _ _ _ B Hp') as [G' Hp'']; exists [], r, G'; auto].
      rewrite (EA _ _ _ Hk), upd_same. split; [auto|]. split; [destruct (A' t); discriminate|]. intros w k' Hin.
      apply in_app_or in Hin as [Hin|[Hin|[]]]; [auto|]. injection Hin as <- <-. left. split; auto.
      destruct (RI_next _ _ _ _ _ _ _ _ _ I' Hk) as (i' & r' & G' & suf & Hp'' & Ei & _). rewrite Hp' in Hp''. injection Hp'' as <- <- <-.
      rewrite Ei. apply in_or_app. simpl. auto.
    + left. assert (Hp'' : P'' t = Some (i :: r, G)) by (destruct B as [(-> & _)|B]; [auto|rewrite (big_other _ _ _ _ _ t B); congruence]).
      split; auto. split.
      * destruct (step_pool _ _ _ _ _ _ St) as (_ & _ & _ & _ & Ho). destruct (ri_thr _ _ _ _ _ _ I' _ _ _ _ Hp') as (suf & Gc & mt & _ & _ & Hc & _).
        assert (Hs : P1 t = P2 t) by (symmetry; apply Ho; congruence). now rewrite <- (RI_same_done _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ I' I'' Hp' Hp'' Hs).
      * intros w k' Hin. apply in_app_or in Hin as [Hin|[Hin|[]]]; [auto|]. injection Hin as <- <-. right. split; auto.
        intros p. apply (step_apart _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ p I' Hk St (fun E => Hv (eq_sym E)) Hp' HA).
Qed.

Lemma runs_one P m t j P' m' : runs P m [(t, j)] P' m' -> exists li G o, P t = Some (j :: li, G) /\ step t P m o (Good P' m').
Proof.
  intros H. inversion H as [|l P1 m1 u k li G o P2 m2 H1 Hp St E]; subst. change [(t, j)] with ([] ++ [(t, j)]) in E.
  apply app_inj_tail in E as [-> E]. injection E as -> ->. inversion H1 as [|l2 P3 m3 u k li2 G2 o2 P4 m4 H3 Hp3 St3 E3]; [subst; eauto|].
  now apply app_eq_nil in E3.
Qed.

(** Lemma 4: t enters the section of i, and has not completed it before the last step. Until then, what t accesses, no other thread accesses. *)
Theorem instrumentation_lemma_4 P0 m0 Q t i li l0 P1 m1 G1 j P2 m2 l P3 m3 rest G3 v k P4 m4 : WF P0 m0 -> (forall v, Q v = inst P0 v) -> src i ->
  runs Q m0 l0 P1 m1 -> P1 t = Some (ins t i ++ li, G1) ->
  runs P1 m1 [(t, j)] P2 m2 -> runs P2 m2 l P3 m3 -> P3 t = Some (rest ++ li, G3) -> rest <> [] -> runs P3 m3 [(v, k)] P4 m4 ->
  forall a w b p, In (t, a) ((t, j) :: l ++ [(v, k)]) -> In (w, b) ((t, j) :: l ++ [(v, k)]) -> w <> t -> accs a p -> ~ accs b p.
Proof.
  intros W E Hs H0 H1 S1 H2 H3 Hr S3. destruct (proj1 (runs_steps _ _ _ _) (ex_intro _ _ H0)) as [tr H0'].
  destruct (RI_steps _ _ _ _ _ _ _ W E H0') as (P & m & A & _ & I).
  destruct (runs_one _ _ _ _ _ _ S1) as (c1 & Gj & o1 & Hj & St1). destruct (runs_one _ _ _ _ _ _ S3) as (c3 & Gk & o3 & Hk & St3).
  destruct (RI_next _ _ _ _ _ _ _ _ _ I Hj) as (i' & r & G & suf & Hp & Ei & Ec).
  assert (Hs' : src i') by (eapply src_head; eauto). assert (Ht : t < Z) by (eapply wf_id; [eapply ri_wf; eauto|eauto]).
  assert (Eq : (j :: suf) ++ inss t r = ins t i ++ li) by (rewrite Hj in H1; injection H1 as H1 _; rewrite <- H1, Ec; reflexivity).
  assert (Hw : A t <> [] -> forall u, i' = Wait u -> u <> t).
  { intros HA u -> ->. destruct (ri_wait _ _ _ _ _ _ I _ _ _ _ Hp HA) as [G' Hu]. congruence. }
  destruct (section_begins t i i' (A t) (j :: suf) r li Ht Hs Hs' Hw Ei ltac:(discriminate) Eq) as [HA El].
  (* the first step *)
  destruct (RI_step _ _ _ _ _ _ _ _ _ I St1) as (P' & m' & A' & I' & B).
  assert (C : P' t = Some (i' :: r, G) /\ A' t <> [] \/ within r t P').
  { destruct B as [(-> & _ & EA)|B]; [left; rewrite (EA _ _ _ Hj), upd_same; split; [auto|destruct (A t); discriminate]|].
    right. destruct (big_own _ _ _ _ _ _ _ _ B Hp) as [G' Hp']. exists [], r, G'. auto. }
  (* those before the last one *)
  destruct (RI_under_way _ _ _ _ _ _ _ _ _ _ _ _ I' C H2) as (P'' & m'' & A'' & I'' & [(Hp'' & HA'' & Hl)|C'']).
  2: { exfalso. pose proof (RI_within _ _ _ _ _ _ _ _ _ I'' C'' H3) as L. rewrite El, app_length in L. destruct rest; [congruence|simpl in L; lia]. }
  assert (All : forall w b, In (w, b) ((t, j) :: l ++ [(v, k)]) -> w = t /\ In b (ins t i') \/ w <> t /\ forall p, accs b p -> ~ fp t i' p).
  { intros w b [Hin|Hin]; [injection Hin as <- <-; left; split; auto; rewrite Ei; apply in_or_app; simpl; auto|].
    apply in_app_or in Hin as [Hin|[Hin|[]]]; [auto|]. injection Hin as <- <-. destruct (Nat.eq_dec v t) as [->|Hv]; [left|right]; split; auto.
    - destruct (RI_next _ _ _ _ _ _ _ _ _ I'' Hk) as (i3 & r3 & G4 & suf3 & Hp3 & Ei3 & _). rewrite Hp'' in Hp3. injection Hp3 as <- <- <-.
      rewrite Ei3. apply in_or_app. simpl. auto.
    - intros p. apply (step_apart _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ p I'' Hk St3 (fun E => Hv (eq_sym E)) Hp'' HA''). }
  intros a w b p Ha Hb Hne Haa Hbb. destruct (All _ _ Ha) as [[_ Hia]|[]]; [|congruence]. destruct (All _ _ Hb) as [[]|[_ Hib]]; [congruence|].
  apply (Hib p Hbb). eapply accs_fp; eauto.
Qed.

(** More than Lemma 5, whatever the order of the steps: what a thread accesses with its next step, no other thread has accessed. *)
Theorem noninterference P0 m0 Q l P2 m2 t j li G o R : WF P0 m0 -> (forall v, Q v = inst P0 v) -> runs Q m0 l P2 m2 -> suffix P0 P2 ->
  P2 t = Some (j :: li, G) -> step t P2 m2 o R -> forall v k p, In (v, k) l -> v <> t -> accs k p -> ~ accs j p.
Proof.
  intros W E H S0 Hpc St v k p Hl Hv Hk Hj. destruct (RI_unfinished _ _ _ _ _ _ W E H S0) as (A & I & HA).
  specialize (HA _ _ Hl). assert (HAv : A v <> []) by (intros H0; now rewrite H0 in HA).
  destruct (P0 v) as [[[|iv rv] Gv]|] eqn:Hpv; [now apply (ri_end _ _ _ _ _ _ I) in Hpv as [_ Hpv]| |now apply (ri_none _ _ _ _ _ _ I) in Hpv as [_ Hpv]].
  destruct (ri_thr _ _ _ _ _ _ I _ _ _ _ Hpv) as (sv & Gcv & mv & Ev & _).
  apply (step_apart _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ p I Hpc St Hv Hpv HAv Hj).
  eapply accs_fp; [eapply src_head; eauto| |exact Hk]. rewrite Ev. apply in_or_app. auto.
Qed.

(** Lemma 5: steps of t, then steps of other threads, then one of t; no section is completed before. What the last step accesses, they do not. *)
Theorem instrumentation_lemma_5 P0 m0 Q t l1 P1 m1 l2 P2 m2 j li G o R : WF P0 m0 -> (forall v, Q v = inst P0 v) ->
  runs Q m0 l1 P1 m1 -> (forall v k, In (v, k) l1 -> v = t) ->
  runs P1 m1 l2 P2 m2 -> (forall v k, In (v, k) l2 -> v <> t) ->
  P2 t = Some (j :: li, G) -> step t P2 m2 o R -> suffix P0 P2 ->
  forall v k p, In (v, k) l2 -> accs k p -> ~ accs j p.
Proof.
  intros W E H1 _ H2 Hne Hp St S0 v k p Hk. apply (noninterference _ _ _ _ _ _ _ _ _ _ _ _ W E (runs_app _ _ _ _ _ _ _ _ H1 H2) S0 Hp St v k p); eauto.
  apply in_or_app. auto.
Qed.

(** ** Lemmas 6 and 7 *)

(** While no section is completed, a step completes that of its thread, or none. *)
Lemma suffix_step P0 m0 Q tr P1 m1 t o P2 m2 : WF P0 m0 -> (forall v, Q v = inst P0 v) -> steps Q m0 tr P1 m1 -> suffix P0 P1 -> step t P1 m1 o (Good P2 m2) ->
  suffix P0 P2 \/
  (exists i r G G', P0 t = Some (i :: r, G) /\ P2 t = Some (inss t r, G')) /\ exists P' m' A', big t P0 m0 (Good P' m') /\ RI P2 m2 P' m' A'.
Proof.
  intros W E H S0 St. destruct (proj2 (runs_steps _ _ _ _) (ex_intro _ _ H)) as [l Hr]. destruct (RI_unfinished _ _ _ _ _ _ W E Hr S0) as (A & I & _).
  destruct (RI_step _ _ _ _ _ _ _ _ _ I St) as (P' & m' & A' & I' & [(-> & -> & _)|B]); [left; eapply RI_suffix; eauto|]. right. split; [|eauto].
  inversion B as [i r G G' m'' Hp Hok Se E1|]; subst. exists i, r, G.
  destruct (step_exec _ _ _ _ _ St) as (j & li & Gc & Hpc & Hok' & _ & Gc' & _ & ->). exists Gc'. split; auto.
  specialize (S0 t). rewrite Hp, Hpc in S0. destruct S0 as (done & rest & _ & Hne & El).
  assert (Ho : after P1 t j li Gc' t = Some (li, Gc')) by (apply after_own; congruence).
  assert (Hn : after P0 t i r G' t = Some (r, G')) by (apply after_own; congruence).
  pose proof (RI_length _ _ _ _ _ _ _ _ _ _ I' Hn Ho) as L. destruct rest as [|j' rest]; [congruence|]. injection El as _ ->.
  rewrite app_length in L. destruct rest; [exact Ho|simpl in L; lia].
Qed.

(** Lemma 6: the section that is completed first can be moved to the front of the run. *)
Theorem instrumentation_lemma_6 P0 m0 Q tr P1 m1 t o P2 m2 i r G G' : WF P0 m0 -> (forall v, Q v = inst P0 v) ->
  steps Q m0 tr P1 m1 -> suffix P0 P1 -> step t P1 m1 o (Good P2 m2) ->
  P0 t = Some (i :: r, G) -> P2 t = Some (inss t r, G') ->
  exists P' m' tr' P2' m2', big t P0 m0 (Good P' m') /\ steps (inst P') m' tr' P2' m2' /\ (forall v, P2' v = P2 v) /\ meq m2' m2.
Proof.
  intros W E H S0 St Hp Hp2. destruct (suffix_step _ _ _ _ _ _ _ _ _ _ W E H S0 St) as [S2|(_ & P' & m' & A' & B & I)].
  - exfalso. specialize (S2 t). rewrite Hp, Hp2 in S2. destruct S2 as (done & rest & _ & Hne & El). apply (f_equal (@length _)) in El.
    rewrite app_length in El. destruct rest; [congruence|simpl in El; lia].
  - destruct (RI_remake _ _ _ _ _ _ I) as (tr' & P2' & m2' & R). exists P', m', tr', P2', m2'. auto.
Qed.

(** A step can be made from any state that is the same. *)
Lemma step_same t P m o P' m' P1 m1 : step t P m o (Good P' m') -> (forall v, P1 v = P v) -> meq m1 m ->
  exists P1' m1', step t P1 m1 o (Good P1' m1') /\ (forall v, P1' v = P' v) /\ meq m1' m'.
Proof.
  intros St EP Em. destruct (step_exec _ _ _ _ _ St) as (j & li & G & Hp & Hok & -> & G' & Ex & ->).
  pose proof (exec_frame (fun _ => True) t j G m m1 (fun _ _ => I) (fun p _ => eq_sym (Em p))) as F. rewrite Ex in F.
  assert (Hok1 : pool_ok P1 j) by (destruct j; simpl in *; rewrite ?EP; auto).
  rewrite <- EP in Hp. pose proof (exec_step t P1 m1 j li G Hp Hok1) as St1.
  destruct (exec t j G m1) as [G1 m1'| |]; try contradiction. destruct F as [<- F]. exists (after P1 t j li G'), m1'. split; auto. split.
  - intros v. destruct j; simpl; unfold upd; repeat match goal with |- context [?a =? ?b] => destruct (a =? b) end; auto.
  - intros p. symmetry. now apply F.
Qed.

(** Lemma 7: a run has completed no section, or one that can be moved to its front. *)
Theorem instrumentation_lemma_7 P0 m0 Q tr Pc mc : WF P0 m0 -> (forall v, Q v = inst P0 v) -> steps Q m0 tr Pc mc ->
  suffix P0 Pc \/
  exists t P1 m1 tr' Pc' mc', big t P0 m0 (Good P1 m1) /\ steps (inst P1) m1 tr' Pc' mc' /\ (forall v, Pc' v = Pc v) /\ meq mc' mc.
Proof.
  intros W E H. induction H as [|tr Pc mc t o P2 m2 H IH St]; [left; eapply RI_suffix, RI_start; eauto|].
  destruct IH as [S0|(u & P1 & m1 & tr' & Pc' & mc' & B & H' & EP & Em)].
  - destruct (suffix_step _ _ _ _ _ _ _ _ _ _ W E H S0 St) as [S2|[(i & r & G & G' & Hp & Hp2) _]]; [auto|right; exists t].
    eapply instrumentation_lemma_6; eauto.
  - right. destruct (step_same _ _ _ _ _ _ _ _ St EP Em) as (P2' & m2' & St' & EP' & Em').
    exists u, P1, m1. eexists. exists P2', m2'. split; [auto|]. split; [eapply steps_snoc; eauto|auto].
Qed.
End Moving.

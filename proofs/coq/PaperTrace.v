(** The papers' feasibility and happens-before, and their equivalence with ours on feasible traces. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge.

Definition on_lock (a : op) (m : lock) : Prop :=
  match a with Acq _ m' | Rel _ m' => m' = m | _ => False end.

(** VerifiedFT section 2: program order; two operations on the same lock; fork/join against operations of u *)
Inductive pdep : op -> op -> Prop :=
| p_po a b : thr a = thr b -> pdep a b
| p_lock a b m : on_lock a m -> on_lock b m -> pdep a b
| p_fork t u b : thr b = u -> pdep (Fork t u) b
| p_fork' t u b : thr b = u -> pdep b (Fork t u)
| p_join t u a : thr a = u -> pdep a (Join t u)
| p_join' t u a : thr a = u -> pdep (Join t u) a.

Definition pedge (tr : trace) (i j : nat) : Prop :=
  i < j /\ exists a b, nth_error tr i = Some a /\ nth_error tr j = Some b /\ pdep a b.
Inductive phb (tr : trace) : nat -> nat -> Prop :=
| phb_edge i j : pedge tr i j -> phb tr i j
| phb_trans i j k : phb tr i j -> pedge tr j k -> phb tr i k.

(** conditions (1)-(5) *)
Definition p_ok (tr : trace) (a : op) : Prop :=
  ~ joined tr (thr a) /\                                    (* 4b: nothing of u after join(t,u) *)
  match a with
  | Acq t m => holder tr m = None                           (* 1 *)
  | Rel t m => holder tr m = Some t                         (* 2 *)
  | Fork t u => (forall s, ~ In (Fork s u) tr) /\           (* 3 *)
                (forall b, In b tr -> thr b <> u) /\ t <> u (* 4a *)
  | Join t u => (forall s i, nth_error tr i = Some (Fork s u) ->
                   exists j b, i < j /\ nth_error tr j = Some b /\ thr b = u) /\ t <> u (* 5 *)
  | _ => True
  end.
Inductive p_feasible : trace -> Prop :=
| pf_nil : p_feasible []
| pf_snoc tr a : p_feasible tr -> p_ok tr a -> p_feasible (tr ++ [a]).

Lemma p_feasible_feasible tr : p_feasible tr -> feasible tr.
Proof.
  induction 1 as [|tr a F IH [Hj H]]; constructor; auto. split; auto. destruct a; auto.
Qed.

Lemma pedge_lt tr i j : pedge tr i j -> i < j /\ j < length tr.
Proof. intros [H (a & b & Ha & Hb & _)]. apply nth_error_lt in Hb. lia. Qed.
Lemma pedge_snoc tr a i j : j < length tr -> (pedge (tr ++ [a]) i j <-> pedge tr i j).
Proof.
  intros Hj. unfold pedge. split; intros [Hl (b & c & Hb & Hc & D)]; (split; [auto|]);
  exists b, c; rewrite ?nth_error_snoc_lt in * by lia; auto.
Qed.
Lemma phb_lt tr i j : phb tr i j -> i < j /\ j < length tr.
Proof.
  induction 1 as [i j H|i j k H IH E]; [now apply pedge_lt in H|]. apply pedge_lt in E. lia.
Qed.
Lemma phb_tr tr i j k : phb tr i j -> phb tr j k -> phb tr i k.
Proof. intros H1 H2. induction H2 as [j k E|j k l H IH E]; [eapply phb_trans; eauto|eapply phb_trans; [apply IH; exact H1|exact E]]. Qed.

(** the holder's thread has done everything on the lock that is not covered by a release: any lock operation
    happens-before-or-equal an operation of the holder, or (lock free) is hbeq the last release *)
Lemma lock_ops_known tr m :
  feasible tr -> forall i b, nth_error tr i = Some b -> on_lock b m ->
  match holder tr m with
  | Some t => knowT tr t i
  | None => knowL tr m i
  end.
Proof.
  intros F. induction F as [|tr a F IH [Hj Hok]]; intros i b Hb Hm.
  - destruct i; discriminate.
  - rewrite holder_snoc. apply nth_error_snoc_inv in Hb as [[Hl Hb]|[-> ->]].
    + specialize (IH i b Hb Hm).
      assert (KT : forall t, knowT tr t i -> knowT (tr ++ [a]) t i) by (intros; rewrite knowT_snoc; auto).
      assert (KL : knowL tr m i -> knowL (tr ++ [a]) m i) by (intros; rewrite knowL_snoc; auto).
      destruct a as [t x|t x|t m'|t m'|t u|t u|t]; try (destruct (holder tr m); auto; fail).
      * destruct (Nat.eqb_spec m' m) as [->|]; [|destruct (holder tr m); auto].
        simpl in Hok. rewrite Hok in IH. rewrite knowT_snoc. right. split; [now left|]. right.
        rewrite hb_new_char. auto.
      * destruct (Nat.eqb_spec m' m) as [->|]; [|destruct (holder tr m); auto].
        simpl in Hok. rewrite Hok in IH. rewrite knowL_snoc. right. split; eauto. right.
        rewrite hb_new_char. auto.
    + destruct a; simpl in Hm; try contradiction; subst; rewrite Nat.eqb_refl.
      * rewrite knowT_snoc. right. split; [now left|]. auto.
      * rewrite knowL_snoc. right. split; eauto.
Qed.

(** every paper edge into the new event is a happens-before of ours *)
Lemma pedge_hb tr : p_feasible tr -> forall i j, pedge tr i j -> hb tr i j.
Proof.
  induction 1 as [|tr a F IH [Hj Hok]]; intros i j E.
  - apply pedge_lt in E. simpl in E. lia.
  - destruct (Nat.eq_dec j (length tr)) as [->|Hne].
    + destruct E as [Hl (b & c & Hb & Hc & D)]. rewrite nth_error_snoc_eq in Hc. injection Hc as <-.
      rewrite nth_error_snoc_lt in Hb by lia.
      pose proof (p_feasible_feasible _ F) as F'.
      inversion D; subst; rewrite hb_new_char.
      * left. rewrite <- H. now apply knowT_own.
      * pose proof (lock_ops_known tr m F' i b Hb H) as K.
        destruct a; simpl in H0; try contradiction; subst; simpl in Hok; rewrite Hok in K; auto.
      * left. exists i, (Fork t (thr a)). repeat split; auto; [right; eauto|now left].
      * exfalso. destruct Hok as (_ & Hb' & _). eapply Hb'; eauto. eapply nth_error_In; eauto.
      * right. now apply knowT_own.
      * exfalso. apply Hj. exists t. eapply nth_error_In; eauto.
    + pose proof (pedge_lt _ _ _ E) as [? Hl]. rewrite app_length in Hl. simpl in Hl.
      apply hb_snoc_old; [lia|]. apply IH. apply (pedge_snoc tr a) in E; [auto|lia].
Qed.

Lemma edge_phb tr : p_feasible tr -> forall i j, edge tr i j -> phb tr i j.
Proof.
  induction 1 as [|tr a F IH [Hj Hok]]; intros i j E.
  - apply edge_lt in E. simpl in E. lia.
  - destruct (Nat.eq_dec j (length tr)) as [->|Hne].
    + destruct E as [Hl (b & c & Hb & Hc & D)].
      pose proof Hc as Hc0. rewrite nth_error_snoc_eq in Hc0. injection Hc0 as <-.
      inversion D; subst; try (apply phb_edge; split; [auto|]; eexists; eexists; repeat split; eauto; fail).
      * apply phb_edge; split; [auto|]. exists b, a. repeat split; auto. now apply p_po.
      * apply phb_edge; split; [auto|]. eexists; eexists; repeat split; eauto. eapply p_lock; simpl; eauto.
      * apply phb_edge; split; [auto|]. eexists; eexists; repeat split; eauto. now apply p_fork.
      * apply phb_edge; split; [auto|]. eexists; eexists; repeat split; eauto. now apply p_join.
      * (* fork(t,u) ... join(t',u): condition 5 gives an operation of u in between *)
        destruct Hok as [H5 _]. rewrite nth_error_snoc_lt in Hb by lia.
        destruct (H5 _ _ Hb) as (j & d & Hij & Hd & Td). pose proof (nth_error_lt _ _ _ Hd).
        eapply phb_trans with j.
        { apply phb_edge. split; [auto|]. exists (Fork t u), d. rewrite !nth_error_snoc_lt by lia.
          repeat split; auto. now apply p_fork. }
        { split; [lia|]. exists d, (Join t' u). rewrite nth_error_snoc_lt by lia. repeat split; auto. now apply p_join. }
    + pose proof (edge_lt _ _ _ E) as [? Hl]. rewrite app_length in Hl. simpl in Hl.
      apply (edge_snoc tr a) in E; [|lia]. apply IH in E.
      clear - E. induction E as [i j E|i j k E IHE E'].
      * apply phb_edge. pose proof (pedge_lt _ _ _ E). apply pedge_snoc; [lia|auto].
      * eapply phb_trans; [exact IHE|]. pose proof (pedge_lt _ _ _ E'). apply pedge_snoc; [lia|auto].
Qed.

Theorem hb_is_paper_hb tr : p_feasible tr -> forall i j, hb tr i j <-> phb tr i j.
Proof.
  intros F i j. split.
  - induction 1 as [i j E|i j k H IH E]; [now apply edge_phb|].
    eapply phb_tr; [exact IH|]. now apply edge_phb.
  - induction 1 as [i j E|i j k H IH E]; [now apply pedge_hb|].
    eapply hb_transitive; [exact IH|]. now apply pedge_hb.
Qed.

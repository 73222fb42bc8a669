(** The instrumentation of 000: the macros of Figure 8, the translation of Figure 9 with the locks of Section 4.3, and which programs are well-formed. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Lang.

Section Pass.
(** All thread ids are less than Z (the paper's z). *)
Variable Z : nat.

(** ** Figure 8 *)

Definition move (p q : loc) : list instr := [Load Tmp1 p; Store (Get Tmp1) q].
Definition set_at (a b : nat -> loc) (os : list nat) := flat_map (fun o => move (a o) (b o)) os.
Definition set (a b : nat -> loc) := set_at a b (seq 0 Z).                       (* V := V' *)
Definition inc (p : loc) : list instr := [Load Tmp1 p; Assign Tmp1 (Plus (Get Tmp1) (Num 1)); Store (Get Tmp1) p].
(** The figure stores the maximum into its first argument; all its uses mean the second, as here. *)
Definition max (p q : loc) : list instr := [Load Tmp1 p; Load Tmp2 q; Assign Tmp2 (Max (Get Tmp1) (Get Tmp2)); Store (Get Tmp2) q].
Definition merge_at (a b : nat -> loc) (os : list nat) := flat_map (fun o => max (a o) (b o)) os.
Definition merge (a b : nat -> loc) := merge_at a b (seq 0 Z).                   (* C := C' joined with C *)
Definition lea (p q : loc) : list instr := [Load Tmp1 p; Load Tmp2 q; Assert (Get Tmp1) (Get Tmp2)].
Definition check_at (a b : nat -> loc) (os : list nat) := flat_map (fun o => lea (a o) (b o)) os.
Definition hb_check (a b : nat -> loc) := check_at a b (seq 0 Z).                (* C is below C' *)

(** ** Figure 9, with loads and stores as in Section 4.3 *)

Fixpoint ins (t : tid) (i : instr) {struct i} : list instr :=
  match i with
  | Load a (Var x) =>
      [Lock (MX x)] ++ hb_check (MW x) (MC t) ++ move (MC t t) (MR x t) ++ [Load a (Var x)] ++ [Unlock (MX x)]
  | Store e (Var x) =>
      [Lock (MX x)] ++ hb_check (MW x) (MC t) ++ hb_check (MR x) (MC t) ++ move (MC t t) (MW x t) ++ [Store e (Var x)] ++ [Unlock (MX x)]
  | Lock (Lk l) => [Lock (Lk l)] ++ merge (ML l) (MC t)
  | Unlock (Lk l) => set (MC t) (ML l) ++ inc (MC t t) ++ [Unlock (Lk l)]
  | Spawn u li => merge (MC t) (MC u) ++ inc (MC t t) ++ [Spawn u (flat_map (ins u) li)]
  | Wait u => [Wait u] ++ merge (MC u) (MC t) ++ inc (MC u u)
  | _ => [i]
  end.
Definition inss (t : tid) (li : list instr) : list instr := flat_map (ins t) li.

(** The paper's initial memory is 0 everywhere, but thread t begins with C_t(t) = 1 (Section 3.2): from 0, checks would let first writes pass that nothing
    orders. So the main thread first sets this up, as `crates/instrument` does. *)
Definition start : list instr := map (fun t => Store (Num 1) (MC t t)) (seq 0 Z).
Definition instrument (prog : list instr) : list instr := start ++ inss 0 prog.

(** Memory after that. *)
Definition started (m : mem) : Prop := forall p, m p = match p with MC t o => if (o =? t) && (t <? Z) then 1 else 0 | _ => 0 end.

(** ** Well-formed programs *)

(** Programs name neither the temporaries nor what is set aside in memory. *)
Fixpoint usere (e : expr) : Prop :=
  match e with
  | Num _ => True
  | Get (U _) => True
  | Get _ => False
  | Plus e1 e2 | Max e1 e2 => usere e1 /\ usere e2
  end.

(** A thread unlocks only what it has locked. Otherwise its handler, which runs before [unlock] gets stuck, would change the lock's clock. *)
Fixpoint held_ok (h : list lock) (li : list instr) : Prop :=
  match li with
  | [] => True
  | Lock (Lk l) :: r => held_ok (l :: h) r
  | Unlock (Lk l) :: r => In l h /\ held_ok (remove Nat.eq_dec l h) r
  | _ :: r => held_ok h r
  end.

Fixpoint src (i : instr) : Prop :=
  match i with
  | Assign (U _) e => usere e
  | Load (U _) (Var _) => True
  | Store e (Var _) => usere e
  | Lock (Lk _) | Unlock (Lk _) => True
  | Spawn u li => u < Z /\ held_ok [] li /\ fold_right (fun i Q => src i /\ Q) True li
  | Wait u => u < Z
  | Assert e1 e2 => usere e1 /\ usere e2
  | _ => False
  end.
Definition srcs (li : list instr) : Prop := fold_right (fun i Q => src i /\ Q) True li.

(** Thread ids that a program spawns, and those that it waits for. *)
Fixpoint spawned (i : instr) : list tid := match i with Spawn u li => u :: flat_map spawned li | _ => [] end.
Definition spawns (li : list instr) : list tid := flat_map spawned li.
Fixpoint waited (i : instr) : list tid := match i with Wait u => [u] | Spawn _ li => flat_map waited li | _ => [] end.
Definition waits (li : list instr) : list tid := flat_map waited li.

(** Each thread is spawned once, and "only one thread waits for each thread" (Lemma 4). *)
Definition wf_prog (prog : list instr) : Prop :=
  0 < Z /\ srcs prog /\ held_ok [] prog /\ NoDup (0 :: spawns prog) /\ NoDup (waits prog).

(** ** One thread on its own: what a sequence of instructions does to its environment and to memory *)

Inductive res := Ok (G : env) (m : mem) | Fail | Block.

(** [Spawn] and [Wait] do nothing to either; what they need from the other threads is not looked at here. *)
Definition exec (t : tid) (i : instr) (G : env) (m : mem) : res :=
  match i with
  | Assign a e => Ok (setv G a (eval G e)) m
  | Load a p => Ok (setv G a (m p)) m
  | Store e p => if is_lock p then Block else Ok G (setm m p (eval G e))
  | Lock p => if m p =? 0 then Ok G (setm m p (S t)) else Block
  | Unlock p => if m p =? S t then Ok G (setm m p 0) else Block
  | Assert e1 e2 => if eval G e1 <=? eval G e2 then Ok G m else Fail
  | Spawn _ _ | Wait _ => Ok G m
  end.
Fixpoint run (t : tid) (l : list instr) (G : env) (m : mem) : res :=
  match l with
  | [] => Ok G m
  | i :: r => match exec t i G m with Ok G' m' => run t r G' m' | x => x end
  end.

Lemma run_app t l1 l2 G m : run t (l1 ++ l2) G m = match run t l1 G m with Ok G' m' => run t l2 G' m' | x => x end.
Proof. revert G m. induction l1 as [|i l1 IH]; intros G m; simpl; auto. destruct (exec t i G m); auto. Qed.

(** *** What an instruction has to do with memory *)

Definition accs (i : instr) (p : loc) : Prop :=
  match i with Load _ q | Store _ q | Lock q | Unlock q => q = p | _ => False end.

Lemma exec_outside t i G m G' m' p : exec t i G m = Ok G' m' -> ~ accs i p -> m' p = m p.
Proof.
  intros E Na. destruct i as [| |e q|q|q| | |]; simpl in *;
  repeat match type of E with context [if ?b then _ else _] => destruct b end;
  try discriminate; injection E as <- <-; auto; apply setm_other; congruence.
Qed.
Lemma run_outside t l p : (forall i, In i l -> ~ accs i p) -> forall G m G' m', run t l G m = Ok G' m' -> m' p = m p.
Proof.
  induction l as [|i l IH]; intros Hl G m G' m' E; simpl in *; [congruence|].
  destruct (exec t i G m) as [G1 m1| |] eqn:E1; try discriminate.
  rewrite (IH (fun j Hj => Hl j (or_intror Hj)) _ _ _ _ E). eapply exec_outside; eauto.
Qed.

(** Where two memories agree on all that is accessed, the same happens. *)
Definition like (D : loc -> Prop) (r r' : res) : Prop :=
  match r, r' with
  | Ok G1 m1, Ok G2 m2 => G1 = G2 /\ forall p, D p -> m1 p = m2 p
  | Fail, Fail | Block, Block => True
  | _, _ => False
  end.
Lemma exec_frame (D : loc -> Prop) t i G m m' : (forall p, accs i p -> D p) -> (forall p, D p -> m p = m' p) -> like D (exec t i G m) (exec t i G m').
Proof.
  intros Ha Hm.
  assert (Hs : forall q v p, D p -> setm m q v p = setm m' q v p) by (intros q v p Hp; unfold setm; destruct (loc_dec p q); auto).
  destruct i as [| a q|e q|q|q| | |]; simpl in *; auto.
  - destruct (is_lock q); simpl; auto.
  - rewrite (Hm q) by auto. destruct (m' q =? 0); simpl; auto.
  - rewrite (Hm q) by auto. destruct (m' q =? _); simpl; auto.
  - destruct (_ <=? _); simpl; auto.
Qed.
Lemma run_frame (D : loc -> Prop) t l : (forall i p, In i l -> accs i p -> D p) ->
  forall G m m', (forall p, D p -> m p = m' p) -> like D (run t l G m) (run t l G m').
Proof.
  induction l as [|i l IH]; intros Ha G m m' Hm; simpl; auto.
  pose proof (exec_frame D t i G m m' (fun p => Ha i p (or_introl eq_refl)) Hm) as F.
  destruct (exec t i G m) as [G1 m1| |], (exec t i G m') as [G2 m2| |]; simpl in F; try contradiction; simpl; auto.
  destruct F as [-> F]. apply (IH (fun j p Hj => Ha j p (or_intror Hj)) G2 m1 m2 F).
Qed.

(** ** What the macros do *)

(** Environments that agree on the program's variables: the question marks of Figure 11. *)
Definition eqU (G G' : env) : Prop := forall a, G (U a) = G' (U a).
Lemma eqU_refl G : eqU G G. Proof. intros a; auto. Qed.
Lemma eqU_trans G1 G2 G3 : eqU G1 G2 -> eqU G2 G3 -> eqU G1 G3.
Proof. intros H1 H2 a. now rewrite H1. Qed.
Lemma eqU_sym G1 G2 : eqU G1 G2 -> eqU G2 G1.
Proof. intros H a. now rewrite H. Qed.
Lemma eqU_tmp1 G n : eqU G (setv G Tmp1 n). Proof. intros a. now rewrite setv_other by discriminate. Qed.
Lemma eqU_tmp2 G n : eqU G (setv G Tmp2 n). Proof. intros a. now rewrite setv_other by discriminate. Qed.
Lemma eqU_set G G' a n : eqU G G' -> eqU (setv G a n) (setv G' a n).
Proof. intros H b. unfold setv. destruct (local_dec (U b) a); auto. Qed.
Lemma eqU_eval G G' e : eqU G G' -> usere e -> eval G e = eval G' e.
Proof. intros H. induction e as [|[a| |]| |]; simpl; intros Hu; try tauto; auto; destruct Hu; rewrite IHe1, IHe2; auto. Qed.

Ltac tmps := repeat first [apply eqU_refl | eapply eqU_trans; [|first [apply eqU_tmp1 | apply eqU_tmp2]]].

Lemma run_move t p q G m : is_lock q = false -> exists G', run t (move p q) G m = Ok G' (setm m q (m p)) /\ eqU G G'.
Proof. intros Hq. unfold move. simpl. rewrite Hq, setv_same. eexists. split; [reflexivity|tmps]. Qed.
Lemma run_inc t p G m : is_lock p = false -> exists G', run t (inc p) G m = Ok G' (setm m p (S (m p))) /\ eqU G G'.
Proof. intros Hq. unfold inc. simpl. rewrite Hq, !setv_same, Nat.add_1_r. eexists. split; [reflexivity|tmps]. Qed.
Lemma run_max t p q G m : is_lock q = false -> exists G', run t (max p q) G m = Ok G' (setm m q (Nat.max (m p) (m q))) /\ eqU G G'.
Proof.
  intros Hq. unfold max. simpl. rewrite Hq, !setv_same. rewrite (setv_other _ Tmp2 _ Tmp1) by discriminate. rewrite setv_same.
  eexists. split; [reflexivity|tmps].
Qed.

Lemma run_lea t p q G m : (m p <= m q -> exists G', run t (lea p q) G m = Ok G' m /\ eqU G G') /\ (m q < m p -> run t (lea p q) G m = Fail).
Proof.
  unfold lea. simpl. rewrite setv_same. rewrite (setv_other _ Tmp2 _ Tmp1) by discriminate. rewrite setv_same.
  destruct (Nat.leb_spec (m p) (m q)); split; intros H'; try lia; auto. eexists. split; [reflexivity|tmps].
Qed.

Lemma run_check t a b os G m :
  ((forall o, In o os -> m (a o) <= m (b o)) -> exists G', run t (check_at a b os) G m = Ok G' m /\ eqU G G') /\
  ((exists o, In o os /\ m (b o) < m (a o)) -> run t (check_at a b os) G m = Fail).
Proof.
  revert G. induction os as [|o os IH]; intros G.
  - split; [intros _; exists G; split; [reflexivity|tmps]|intros (o & [] & _)].
  - change (check_at a b (o :: os)) with (lea (a o) (b o) ++ check_at a b os). rewrite run_app.
    destruct (run_lea t (a o) (b o) G m) as [Lo Lf]. split.
    + intros H. destruct (Lo (H o (or_introl eq_refl))) as (G1 & -> & E1).
      destruct (proj1 (IH G1) (fun o' Ho => H o' (or_intror Ho))) as (G2 & E & E2). exists G2. split; auto. eapply eqU_trans; eauto.
    + intros (o' & Ho & Hlt). destruct (Nat.le_gt_cases (m (a o)) (m (b o))) as [Hle|Hgt].
      * destruct (Lo Hle) as (G1 & -> & E1). apply IH. destruct Ho as [<-|Ho]; [lia|eauto].
      * now rewrite (Lf Hgt).
Qed.
Lemma check_dec (m : mem) (a b : nat -> loc) os : {forall o, In o os -> m (a o) <= m (b o)} + {exists o, In o os /\ m (b o) < m (a o)}.
Proof.
  induction os as [|o os IH]; [left; intros o []|].
  destruct (le_lt_dec (m (a o)) (m (b o))) as [H|H]; [|right; exists o; simpl; auto].
  destruct IH as [IH|IH]; [left; intros o' [<-|Ho]; auto|right; destruct IH as (o' & Ho & Hl); exists o'; simpl; auto].
Qed.

(** A loop over the offsets of a block b, each of which becomes a function of itself and of the same offset of a. *)
Lemma run_loop t (body : nat -> list instr) (a b : nat -> loc) (f : nat -> nat -> nat) :
  (forall o G m, exists G', run t (body o) G m = Ok G' (setm m (b o) (f (m (a o)) (m (b o)))) /\ eqU G G') ->
  (forall o o', b o = b o' -> o = o') -> (forall o o', a o <> b o') ->
  forall os G m, NoDup os -> exists G' m', run t (flat_map body os) G m = Ok G' m' /\ eqU G G' /\
    (forall o, In o os -> m' (b o) = f (m (a o)) (m (b o))) /\ (forall p, (forall o, In o os -> p <> b o) -> m' p = m p).
Proof.
  intros Hb Hi Hd. induction os as [|o os IH]; intros G m Nd; simpl.
  - exists G, m. split; [reflexivity|]. split; [tmps|]. split; [intros o []|auto].
  - inversion Nd as [|? ? Hn Nd']; subst. rewrite run_app. destruct (Hb o G m) as (G1 & -> & E1).
    destruct (IH G1 (setm m (b o) (f (m (a o)) (m (b o)))) Nd') as (G2 & m2 & -> & E2 & Hin & Hout).
    exists G2, m2. split; [reflexivity|]. split; [eapply eqU_trans; eauto|]. split.
    + intros o' [<-|Ho].
      * rewrite Hout; [apply setm_same|]. intros o' Ho E. apply Hi in E. subst. contradiction.
      * rewrite Hin by auto. rewrite !setm_other; auto. intros E. apply Hi in E. subst. contradiction.
    + intros p Hp. rewrite Hout by auto. apply setm_other. auto.
Qed.
Lemma run_merge t a b G m : (forall o, is_lock (b o) = false) -> (forall o o', b o = b o' -> o = o') -> (forall o o', a o <> b o') ->
  exists G' m', run t (merge a b) G m = Ok G' m' /\ eqU G G' /\
    (forall o, o < Z -> m' (b o) = Nat.max (m (a o)) (m (b o))) /\ (forall p, (forall o, o < Z -> p <> b o) -> m' p = m p).
Proof.
  intros Hk Hi Hd.
  destruct (run_loop t (fun o => max (a o) (b o)) a b Nat.max (fun o G m => run_max t _ _ G m (Hk o)) Hi Hd (seq 0 Z) G m (seq_NoDup _ _))
    as (G' & m' & E & Eu & Hin & Hout).
  exists G', m'. split; [exact E|]. split; [exact Eu|]. split; [intros o Ho; apply Hin, in_seq; lia|].
  intros p Hp. apply Hout. intros o Ho. apply in_seq in Ho. apply Hp. lia.
Qed.
Lemma run_set t a b G m : (forall o, is_lock (b o) = false) -> (forall o o', b o = b o' -> o = o') -> (forall o o', a o <> b o') ->
  exists G' m', run t (set a b) G m = Ok G' m' /\ eqU G G' /\
    (forall o, o < Z -> m' (b o) = m (a o)) /\ (forall p, (forall o, o < Z -> p <> b o) -> m' p = m p).
Proof.
  intros Hk Hi Hd.
  destruct (run_loop t (fun o => move (a o) (b o)) a b (fun x _ => x) (fun o G m => run_move t _ _ G m (Hk o)) Hi Hd (seq 0 Z) G m (seq_NoDup _ _))
    as (G' & m' & E & Eu & Hin & Hout).
  exists G', m'. split; [exact E|]. split; [exact Eu|]. split; [intros o Ho; apply Hin, in_seq; lia|].
  intros p Hp. apply Hout. intros o Ho. apply in_seq in Ho. apply Hp. lia.
Qed.

Lemma run_start : exists m, run 0 start G0 m0 = Ok G0 m /\ started m.
Proof.
  assert (H : forall os m, exists m', run 0 (map (fun t => Store (Num 1) (MC t t)) os) G0 m = Ok G0 m' /\
    forall p, m' p = match p with MC t o => if (o =? t) && (if in_dec Nat.eq_dec t os then true else false) then 1 else m p | _ => m p end).
  { induction os as [|k os IH]; intros m.
    - exists m. split; [reflexivity|]. intros p. destruct p; auto. simpl. now rewrite andb_false_r.
    - destruct (IH (setm m (MC k k) 1)) as (m' & E & Hm). exists m'. split; [exact E|]. intros p. rewrite Hm.
      destruct p; try (apply setm_other; discriminate).
      destruct (Nat.eqb_spec o t) as [->|Ho]; simpl; [|apply setm_other; congruence].
      destruct (in_dec Nat.eq_dec t os) as [Hi|Hi]; [destruct (Nat.eq_dec k t); auto|].
      destruct (Nat.eq_dec k t) as [->|Hk]; [apply setm_same|apply setm_other; congruence]. }
  destruct (H (seq 0 Z) m0) as (m' & E & Hm). exists m'. split; [exact E|]. intros p. rewrite Hm. destruct p; auto.
  destruct (in_dec Nat.eq_dec t (seq 0 Z)) as [Hi|Hi]; rewrite in_seq in Hi; destruct (Nat.ltb_spec t Z); auto; lia.
Qed.

(** ** The locations that a section of instrumentation accesses *)

Definition fp (t : tid) (i : instr) (p : loc) : Prop :=
  match i with
  | Load _ (Var x) | Store _ (Var x) => match p with Var y | MX y | MR y _ | MW y _ => y = x | MC v _ => v = t | _ => False end
  | Lock (Lk l) | Unlock (Lk l) => match p with Lk k | ML k _ => k = l | MC v _ => v = t | _ => False end
  | Spawn u _ | Wait u => match p with MC v _ => v = t \/ v = u | _ => False end
  | _ => False
  end.

Lemma In_loop (body : nat -> list instr) os i : In i (flat_map body os) -> exists o, In i (body o).
Proof. intros H. apply in_flat_map in H as (o & _ & H). eauto. Qed.

Ltac in_sect H :=
  repeat match type of H with
  | In _ (_ ++ _) => apply in_app_or in H as [H|H]
  | In _ (hb_check _ _) => apply In_loop in H as [?o H]
  | In _ (merge _ _) => apply In_loop in H as [?o H]
  | In _ (set _ _) => apply In_loop in H as [?o H]
  | In _ (move _ _) => unfold move in H
  | In _ (inc _) => unfold inc in H
  | In _ (lea _ _) => unfold lea in H
  | In _ (max _ _) => unfold max in H
  | In _ (_ :: _) => destruct H as [<-|H]
  | In _ [] => destruct H
  end.

Lemma accs_fp t i j p : src i -> In j (ins t i) -> accs j p -> fp t i p.
Proof.
  intros Hs Hj Ha. destruct i as [a e|a q|e q|q|q|u li|u|e1 e2]; simpl in Hs; try contradiction.
  - destruct a; try contradiction. destruct Hj as [<-|[]]. contradiction.
  - destruct a; try contradiction. destruct q; try contradiction. unfold ins in Hj. in_sect Hj; simpl in Ha; subst; simpl; auto; contradiction.
  - destruct q; try contradiction. unfold ins in Hj. in_sect Hj; simpl in Ha; subst; simpl; auto; contradiction.
  - destruct q; try contradiction. unfold ins in Hj. in_sect Hj; simpl in Ha; subst; simpl; auto; contradiction.
  - destruct q; try contradiction. unfold ins in Hj. in_sect Hj; simpl in Ha; subst; simpl; auto; contradiction.
  - simpl in Hj. in_sect Hj; simpl in Ha; subst; simpl; auto; contradiction.
  - unfold ins in Hj. in_sect Hj; simpl in Ha; subst; simpl; auto; contradiction.
  - destruct Hj as [<-|[]]. contradiction.
Qed.

Lemma ins_not_nil t i : ins t i <> [].
Proof.
  destruct i as [a e|a q|e q|q|q|u li|u|e1 e2]; try (destruct q); simpl; intros E; apply (f_equal (@length _)) in E; simpl in E; rewrite ?app_length in E; simpl in E; lia.
Qed.
End Pass.

import type { ProjectResource } from '@spandrel/contract';
import { useId, useMemo, useState, type ReactNode, type FormEvent } from 'react';
import { gridRows, useAdministeredList, type PagedList } from '../../features/list/use-paged-list.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { TextField } from '../../components/field.js';
import { FaultNotice } from '../../components/page-parts.js';
import { Grid } from '../../components/grid/grid.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import styles from './settings-page.module.css';

/** A part of the settings under its heading. @param actions buttons beside the heading. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.section}>
      <div className={styles.head}>
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** A name with what belongs to it. */
export function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={styles.row}>
      <span className="quiet">{name}</span>
      <div className={styles.value}>{children}</div>
    </div>
  );
}

interface TypedConfirmationProps {
  title: string;
  label: string;
  /** Whether what was typed means it. @param typed without blanks around it. */
  isMeant(typed: string): boolean;
  isPending: boolean;
  onConfirm(): void;
  onClose(): void;
  children: ReactNode;
  fault?: ReactNode;
}

/** Asks whether something is to be deleted for good, by somebody who typed that they mean it. */
export function TypedConfirmation(props: TypedConfirmationProps) {
  const { title, label, isPending, onConfirm, onClose, children, fault } = props;
  const formId = useId();
  const [typed, setTyped] = useState('');
  const isMeant = props.isMeant(typed.trim());
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isMeant && !isPending) onConfirm();
  };
  return (
    <Dialog
      title={title}
      role="alertdialog"
      size="small"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" type="submit" form={formId} disabled={!isMeant || isPending}>
            Delete
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={submit}>
        {children}
        <TextField label={label} value={typed} onChange={({ currentTarget }) => setTyped(currentTarget.value)} />
        {fault}
      </form>
    </Dialog>
  );
}

interface AdministeredGridProps<Row> {
  label: string;
  list: PagedList<Row>;
  columns: readonly GridColumn<Row>[];
  empty: ReactNode;
  /** Opens what is behind a row, where something is. */
  onOpen?(row: Row): void;
}

/** A list within the page, which scrolls by itself when it is long. */
export function AdministeredGrid<Row>({ label, list, columns, empty, onOpen = ignore }: AdministeredGridProps<Row>) {
  if (list.error !== null)
    return <FaultNotice title={`${label} could not be loaded`} error={list.error} onRetry={list.refetch} />;
  if (list.isComplete && list.length === 0) return <div className={styles.hint}>{empty}</div>;
  return (
    <div className={styles.list}>
      <Grid<Row> label={label} columns={columns} {...gridRows(list)} onOpen={onOpen} />
    </div>
  );
}

const ignore = (): void => undefined;

/** The projects of an organization, as far as they were read, and their names by their ids. */
export function useProjects(orgId: string) {
  const { readRows: projects } = useAdministeredList<ProjectResource>('projects', 'listProjects', orgId).list;
  return { projects, names: useMemo(() => new Map(projects.map(({ id, name }) => [id, name])), [projects]) };
}

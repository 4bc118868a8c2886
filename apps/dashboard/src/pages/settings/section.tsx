import type { ProjectResource } from '@spandrel/contract';
import { useId, useMemo, useState, type ReactNode } from 'react';
import { gridRows, useAdministeredList, type PagedList } from '../../features/list/use-paged-list.js';
import { FormDialog } from '../../features/dialogs.js';
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

interface TypedConfirmationProps<Answer> {
  title: string;
  label: string;
  /** Whether what was typed means it. @param typed without blanks around it. */
  isMeant(typed: string): boolean;
  failed: string;
  act(): Promise<Answer>;
  onDone(answer: Answer): void;
  onClose(): void;
  children: ReactNode;
}

/** Deletes something for good, once somebody has typed that they mean it. */
export function TypedConfirmation<Answer>(props: TypedConfirmationProps<Answer>) {
  const { title, label, isMeant, failed, act, onDone, onClose, children } = props;
  const [typed, setTyped] = useState('');
  return (
    <FormDialog
      {...{ title, failed, onClose }}
      isDangerous
      size="small"
      action="Delete"
      canSend={isMeant(typed.trim())}
      send={act}
      onSent={(answer) => {
        onClose();
        onDone(answer);
      }}
    >
      {children}
      <TextField label={label} value={typed} onChange={({ currentTarget }) => setTyped(currentTarget.value)} />
    </FormDialog>
  );
}

interface AdministeredGridProps<Row> {
  label: string;
  list: PagedList<Row>;
  columns: readonly GridColumn<Row>[];
  empty: ReactNode;
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

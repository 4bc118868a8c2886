import { useNavigate } from '@tanstack/react-router';
import { capitalized } from '../../components/format.js';
import { PageActions } from '../../components/page-actions.js';
import { lastTraceList } from './list-memory.js';

interface NeighboursProps {
  id: string;
  /** What is led to: `trace`. */
  one: string;
  /** The words of a button: `Previous`, or with what it leads to. */
  labelOf(step: 'Previous' | 'Next'): string;
  addressOf(id: string): string;
}

/** Leads to what stands before and after in the list that was on screen last, as far as it has this one. */
export function Neighbours({ id, one, labelOf, addressOf }: NeighboursProps) {
  const navigate = useNavigate();
  const ids = lastTraceList()?.ids ?? [];
  const at = ids.indexOf(id);
  const steps = [
    { step: 'Previous', icon: 'arrowUp', keys: '[', to: ids[at - 1] },
    { step: 'Next', icon: 'arrowDown', keys: ']', to: at === -1 ? undefined : ids[at + 1] },
  ] as const;
  return (
    <PageActions
      group={capitalized(one)}
      icons="narrow"
      actions={steps.map(({ step, to, ...action }) => ({
        ...{ ...action, label: `${step} ${one}`, short: labelOf(step), disabled: to === undefined },
        run: () => void navigate({ to: addressOf(to!) }),
      }))}
    />
  );
}

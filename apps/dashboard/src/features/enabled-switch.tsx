import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useMayWrite } from '../components/button.js';
import { notifyError } from '../components/notify.js';
import { Switch } from '../components/switch.js';

interface EnabledSwitchProps {
  name: string;
  enabled: boolean;
  /** Whether the word stands beside it, where no column says it. */
  isLabelled?: boolean;
  change(enabled: boolean): Promise<unknown>;
  /** Reads again what was changed. */
  onChanged(): Promise<unknown>;
}

/** Switches something on and off; it shows at once what was chosen, and goes back where that failed. */
export function EnabledSwitch({ name, enabled, isLabelled = false, change, onChanged }: EnabledSwitchProps) {
  const mayWrite = useMayWrite();
  const [chosen, setChosen] = useState<boolean | null>(null);
  const changing = useMutation({
    mutationFn: change,
    onSuccess: onChanged,
    onError: (error) => notifyError(`${name} could not be changed`, error),
    onSettled: () => setChosen(null),
  });
  const toggle = (next: boolean): void => {
    if (changing.isPending) return;
    setChosen(next);
    changing.mutate(next);
  };
  return (
    <Switch
      label={isLabelled ? 'Enabled' : `Enabled: ${name}`}
      isLabelHidden={!isLabelled}
      isOn={chosen ?? enabled}
      isDisabled={!mayWrite}
      onChange={toggle}
    />
  );
}

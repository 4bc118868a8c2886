import type { CaptureRuleResource } from '@spandrel/contract';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { updateCaptureRule } from '../../api/capture-rules.js';
import { useMayWrite } from '../../components/may-write.js';
import { notifyError } from '../../components/notifications/notify.js';
import { Switch } from '../../components/switch.js';

export interface RuleSwitchProps {
  rule: CaptureRuleResource;
  /** Reads the rules anew. */
  onChanged(): Promise<void>;
}

/** Switches a capture rule on and off; it shows at once what was chosen, and goes back where that failed. */
export function RuleSwitch({ rule, onChanged }: RuleSwitchProps) {
  const mayWrite = useMayWrite();
  const [chosen, setChosen] = useState<boolean | null>(null);
  const change = useMutation({
    mutationFn: (enabled: boolean) => updateCaptureRule(rule.dataset_id, rule.id, { enabled }),
    onSuccess: onChanged,
    onError: (error) => notifyError('The rule could not be changed', error),
    onSettled: () => setChosen(null),
  });
  const toggle = (enabled: boolean): void => {
    if (change.isPending) return;
    setChosen(enabled);
    change.mutate(enabled);
  };
  return (
    <Switch
      label={`Enabled: ${rule.name}`}
      isLabelHidden
      isOn={chosen ?? rule.enabled}
      isDisabled={!mayWrite}
      onChange={toggle}
    />
  );
}

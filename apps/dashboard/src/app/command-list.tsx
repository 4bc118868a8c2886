import { Autocomplete } from '@base-ui/react/autocomplete';
import { CSPProvider } from '@base-ui/react/csp-provider';
import type { Command } from './commands.js';
import styles from './command-menu.module.css';

export interface CommandListProps {
  text: string;
  commands: readonly Command[];
  onType(text: string): void;
  onChoose(command: Command): void;
}

/** The combobox of the command menu with what it found. */
export function CommandList({ text, commands, onType, onChoose }: CommandListProps) {
  return (
    <CSPProvider disableStyleElements>
      <Autocomplete.Root
        open
        inline
        items={commands}
        filter={null}
        value={text}
        onValueChange={(value) => onType(value)}
        itemToStringValue={(command: Command) => command.label}
        autoHighlight="always"
        keepHighlight
      >
        <Autocomplete.Input
          aria-label="Command"
          placeholder="A page, an action, or an id"
          className={styles.input}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the one field of a dialog that was asked for
          autoFocus
        />
        <Autocomplete.Empty className={styles.empty}>Nothing is called so.</Autocomplete.Empty>
        <Autocomplete.List className={styles.list} aria-label="Commands">
          {(command: Command) => (
            <Autocomplete.Item
              key={command.id}
              value={command}
              className={styles.item}
              onClick={() => onChoose(command)}
            >
              <span className={styles.label}>{command.label}</span>
              <span className={styles.group}>{command.group}</span>
              {command.keys && <kbd aria-hidden="true">{command.keys}</kbd>}
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </CSPProvider>
  );
}

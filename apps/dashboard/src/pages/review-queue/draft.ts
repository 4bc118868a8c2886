import type { QueueItemResource } from '@spandrel/contract';
import { useMemo, useState } from 'react';
import { readData, writeData } from './edited-data.js';

/** An edit of an item that is not submitted. */
export interface Draft {
  /** What there was before, as text. */
  before: string;
  text: string;
  /** Whether it is being edited. */
  isOpen: boolean;
  isChanged: boolean;
  /** What the text says; `null` where nothing was edited. */
  read: ReturnType<typeof readData> | null;
  setText(text: string): void;
  setIsOpen(isOpen: boolean): void;
  discard(): void;
}

/** Edits of items by their ids: an item that comes back has its edit still. */
const texts = new Map<string, string>();
/** Items whose edits are remembered; the oldest are forgotten. */
const TEXTS_MAX = 100;

/** The edit of an item. */
export function useDraft({ id, original_data: data }: QueueItemResource): Draft {
  const before = useMemo(() => writeData(data), [data]);
  const [text, setText] = useState(texts.get(id) ?? null);
  const [isOpen, setIsOpen] = useState(false);
  const isChanged = text !== null && text !== before;
  const read = useMemo(
    () => (isOpen || isChanged ? readData(text ?? before) : null),
    [before, isChanged, isOpen, text],
  );
  return {
    ...{ before, text: text ?? before, isOpen, isChanged, read, setIsOpen },
    setText: (next) => {
      remember(id, next);
      setText(next);
    },
    discard: () => {
      texts.delete(id);
      setText(null);
      setIsOpen(false);
    },
  };
}

function remember(id: string, text: string): void {
  texts.delete(id);
  texts.set(id, text);
  if (texts.size > TEXTS_MAX) texts.delete(texts.keys().next().value!);
}

import { useMemo } from 'react';
import type { MessageReading } from '../../features/messages/message-reading.js';
import { useReadingPreferences } from '../../features/payload/reading-preferences.js';

/** How the texts of an item are shown: in the format that the reader has chosen for traces, where that is one of texts. */
export function useItemReading(): MessageReading {
  const { format } = useReadingPreferences();
  return useMemo(() => ({ format: format === 'json' ? 'text' : format, wraps: true, sought: '' }), [format]);
}

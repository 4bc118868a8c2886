import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { importDatapoints, type ImportProgress } from '../../api/import-datapoints.js';

/** An import of a file, its progress, and the way to end it. Leaving the page ends it, too. */
export function useImport(datasetId: string, onImported: () => void) {
  const [progress, setProgress] = useState<ImportProgress | null>(null);
  const ending = useRef<AbortController | null>(null);
  useEffect(() => () => ending.current?.abort(), []);
  const importing = useMutation({
    mutationFn: ({ file, skipsFaults }: { file: File; skipsFaults: boolean }) => {
      ending.current = new AbortController();
      const { signal } = ending.current;
      return importDatapoints(datasetId, file, { skipsFaults, signal, onProgress: setProgress });
    },
    onSuccess: onImported,
    onSettled: () => setProgress(null),
  });
  const isCancelled = ending.current?.signal.aborted === true;
  return { importing, progress, isCancelled, cancel: () => ending.current?.abort() };
}

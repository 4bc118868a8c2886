import { lazy, Suspense, useState } from 'react';
import { Button } from '../../components/button.js';
import type { AddManyToDatasetProps } from './add-dialog.js';

const AddManyToDataset = lazy(async () => ({
  default: (await import('./add-dialog.js')).AddManyToDataset,
}));

/** The button `Add to dataset` of a selection. */
export function AddSelected(props: Omit<AddManyToDatasetProps, 'onClose'>) {
  const [isAdding, setIsAdding] = useState(false);
  return (
    <>
      <Button writes icon="plus" onClick={() => setIsAdding(true)}>
        Add to dataset
      </Button>
      {isAdding && (
        <Suspense fallback={null}>
          <AddManyToDataset {...props} onClose={() => setIsAdding(false)} />
        </Suspense>
      )}
    </>
  );
}

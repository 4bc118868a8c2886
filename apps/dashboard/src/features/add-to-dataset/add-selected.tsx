import type { AddManyToDatasetProps } from './add-dialog.js';
import { DialogButton, lazyPart } from '../../components/lazy-part.js';

const AddManyToDataset = lazyPart(async () => (await import('./add-dialog.js')).AddManyToDataset);

/** The dialog for one span. */
export const AddToDataset = lazyPart(async () => (await import('./add-to-dataset.js')).AddToDataset);

/** The button `Add to dataset` of a selection. */
export const AddSelected = (props: Omit<AddManyToDatasetProps, 'onClose'>) => (
  <DialogButton writes icon="plus" dialog={(close) => <AddManyToDataset {...props} onClose={close} />}>
    Add to dataset
  </DialogButton>
);

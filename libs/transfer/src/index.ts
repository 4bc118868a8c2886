export { transferFeature } from './transfer.module.js';
export { TransferSettings } from './transfer.settings.js';

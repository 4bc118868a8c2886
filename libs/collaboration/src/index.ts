export { collaborationFeature, sharingFeature } from './collaboration.module.js';
export { CollaborationModule } from './collaboration.module.js';
export { SharingSettings } from './collaboration.settings.js';
export { SavedItemStore } from './saved-item.store.js';
export { boardResource, viewResource } from './saved-items.controller.js';
export { commentResource, CommentStore } from './comment.store.js';

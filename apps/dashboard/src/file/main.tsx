import './embedded-traces.js';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createHashHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { readSearch, writeSearch } from '../app/search-text.js';
import '../styles/styles.css';
import { FileFrame, FileIndex, FileTrace } from './file-pages.js';

const root = createRootRoute({ component: FileFrame, notFoundComponent: FileIndex });
const pages = [
  createRoute({ getParentRoute: () => root, path: '/', component: FileIndex }),
  createRoute({ getParentRoute: () => root, path: '/traces/$id', component: FileTrace }),
];

// The address of a file is its path: what the page shows stands behind `#`.
const router = createRouter({
  routeTree: root.addChildren(pages),
  history: createHashHistory(),
  parseSearch: readSearch,
  stringifySearch: writeSearch,
  scrollRestoration: false,
});

const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } },
});

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>
  </StrictMode>,
);

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { shouldRetry, retryDelayMs } from './api/api-error.js';
import { createAppRouter } from './app/router.js';
import { BROWSER_SESSION } from './features/browser-session.js';
import './styles/tokens.css';
import './styles/base.css';

const queryClient = new QueryClient({
  defaultOptions: {
    // Live updates say when something changed.
    queries: { retry: shouldRetry, retryDelay: retryDelayMs, staleTime: 30_000 },
    mutations: { retry: false },
  },
});
// Asked while the page's scripts are fetched.
void queryClient.prefetchQuery(BROWSER_SESSION);
const router = createAppRouter(queryClient);

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);

import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { DashboardQueryClient } from './api/query-client.js';
import { createAppRouter } from './app/router.js';
import { BROWSER_SESSION } from './features/browser-session.js';
import './styles/styles.css';

const queryClient = new DashboardQueryClient();
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

import { createContext, useContext } from 'react';

/** Whether whoever looks at the page may change something: a session without the scope `write` may not. */
export const MayWrite = createContext(true);

export const useMayWrite = (): boolean => useContext(MayWrite);

/** Whether whoever looks at the page may claim and submit items: sessions with the scope `review` or `write`. */
export const MayReview = createContext(true);

export const useMayReview = (): boolean => useContext(MayReview);

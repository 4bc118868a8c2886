import { useQuery } from '@tanstack/react-query';
import { readCapabilities, type Capabilities } from '../../api/capabilities.js';
import { keys } from '../../api/keys.js';

/** What the instance can do, which does not change while it runs; `undefined` until it is known. */
export function useCapabilities(): Capabilities | undefined {
  const { data } = useQuery({
    queryKey: keys.capabilities(),
    queryFn: ({ signal }) => readCapabilities(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}

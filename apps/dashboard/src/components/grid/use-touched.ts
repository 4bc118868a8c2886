import { useMemo, useRef, type FocusEvent, type UIEvent } from 'react';

/** Handlers that tell whether the reader is in an element: scrolled down, focused inside, or hovering. */
export function useTouched(onTouched: ((isTouched: boolean) => void) | undefined) {
  const facts = useRef({ isScrolled: false, isFocused: false, isHovered: false });
  return useMemo(() => {
    const note = (change: Partial<typeof facts.current>): void => {
      Object.assign(facts.current, change);
      onTouched?.(Object.values(facts.current).some(Boolean));
    };
    return {
      onScroll: (event: UIEvent) => note({ isScrolled: event.currentTarget.scrollTop > 0 }),
      onFocus: () => note({ isFocused: true }),
      onBlur: (event: FocusEvent) => note({ isFocused: event.currentTarget.contains(event.relatedTarget) }),
      onPointerEnter: () => note({ isHovered: true }),
      onPointerLeave: () => note({ isHovered: false }),
    };
  }, [onTouched]);
}

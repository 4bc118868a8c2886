import { useState } from 'react';
import type { Stretch } from './span-times.js';
import { fit, wholeRange, zoom } from './timeline-range.js';

/** The range of time that the timeline shows. All of the trace, however long it becomes, until a part of it is chosen. */
export function useRange(total: number) {
  const [chosen, setChosen] = useState<Stretch | null>(null);
  const whole = wholeRange(total);
  const range = chosen ?? whole;
  const choose = (next: Stretch): void => {
    const isWhole = next.from <= whole.from && next.to >= whole.to;
    setChosen(isWhole ? null : next);
  };
  return {
    range,
    choose,
    zoomIn: () => choose(zoom(range, total, 'in')),
    zoomOut: () => choose(zoom(range, total, 'out')),
    showAll: () => setChosen(null),
    fitTo: (stretch: Stretch) => choose(fit(stretch, total)),
  };
}

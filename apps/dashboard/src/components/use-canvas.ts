import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { usePreferences } from './preferences/use-preferences.js';

export interface CanvasSize {
  width: number;
  height: number;
}

/**
 * Draws on a canvas as large as its element, as sharp as the screen, whenever its size, the theme or `draw` changes.
 * @param draw keeps its identity while nothing of what it draws changes. Its unit is a CSS pixel.
 * @returns the size of now, in CSS pixels.
 */
export function useCanvas(
  canvas: RefObject<HTMLCanvasElement | null>,
  draw: (context: CanvasRenderingContext2D, size: CanvasSize) => void,
): CanvasSize {
  const [size, setSize] = useState<CanvasSize>({ width: 0, height: 0 });
  const palette = usePalette();
  useLayoutEffect(() => {
    const element = canvas.current!;
    const measure = (): void => {
      const { clientWidth: width, clientHeight: height } = element;
      setSize((before) => (before.width === width && before.height === height ? before : { width, height }));
    };
    measure();
    const resizes = new ResizeObserver(measure);
    resizes.observe(element);
    return () => resizes.disconnect();
  }, [canvas]);
  const frame = useRef(0);
  useEffect(() => {
    const element = canvas.current!;
    const context = element.getContext('2d');
    if (context === null || size.width === 0) return undefined;
    frame.current = requestAnimationFrame(() => {
      element.width = Math.round(size.width * devicePixelRatio);
      element.height = Math.round(size.height * devicePixelRatio);
      context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
      draw(context, size);
    });
    return () => cancelAnimationFrame(frame.current);
  }, [canvas, draw, size, palette]);
  return size;
}

/** Another value whenever the colours change: by choice, or by that of the system. */
export function usePalette(): string {
  const { theme } = usePreferences();
  const [isDark, setIsDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches);
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const change = (): void => setIsDark(query.matches);
    query.addEventListener('change', change);
    return () => query.removeEventListener('change', change);
  }, []);
  return `${theme} ${isDark}`;
}

/** The colours of tokens as a canvas takes them: of this moment and palette. */
export function readColours<Name extends string>(element: Element, names: readonly Name[]): Record<Name, string> {
  const probe = document.createElement('span');
  probe.hidden = true;
  element.after(probe);
  const colours = {} as Record<Name, string>;
  for (const name of names) {
    probe.style.color = `var(${name})`;
    colours[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return colours;
}

// Lines over time, as inline SVG. It is the only kind of chart here, so that a library would be most of the code to load.
import {
  useEffect,
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
  type RefObject,
} from "react";

import { timeOf, utcOf } from "../format.js";

/** A line: values by minute since the Unix epoch; null is a gap. */
export interface Line {
  readonly label: string;
  readonly kind: "live" | "candidate";
  readonly values: readonly (readonly [minute: number, value: number | null])[];
}

interface LineChartProps {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
}

const HEIGHT = 120;
const TOP = 16;
const BOTTOM = 20;
const LEFT = 4;
const RIGHT = 4;

/** The next larger of 1, 2 and 5 times a power of ten. */
function niceMaximum(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find((factor) => factor * power >= value) ?? 10) * power;
}

/** The width of an element in pixels; 320 until it is measured. */
function useWidth(box: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(320);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) setWidth(Math.round(entry.contentRect.width));
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, [box]);
  return width;
}

/** A chart with a readout, which the pointer and the arrow keys move. */
export function LineChart({ title, lines, format }: LineChartProps): ReactElement {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [selected, setSelected] = useState<number | null>(null);

  const minutes = lines[0]?.values.map(([minute]) => minute) ?? [];
  const last = minutes.length - 1;
  const all = lines.flatMap(({ values }) => values.flatMap(([, value]) => value ?? []));
  const maximum = niceMaximum(Math.max(0, ...all));
  const x = (index: number): number => LEFT + (last <= 0 ? 0 : (index / last) * (width - LEFT - RIGHT));
  const y = (value: number): number => TOP + (1 - value / maximum) * (HEIGHT - TOP - BOTTOM);
  const index = Math.min(selected ?? last, last);

  const point = (event: PointerEvent<HTMLDivElement>): void => {
    const { left } = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - left - LEFT) / (width - LEFT - RIGHT);
    setSelected(Math.round(Math.min(1, Math.max(0, share)) * last));
  };
  const press = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: last };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setSelected(Math.min(last, Math.max(0, next)));
  };
  const readout = lines.map(({ label, values }) => {
    const value = values[index]?.[1] ?? null;
    return { label, text: value === null ? "no requests" : format(value) };
  });
  const time = minutes[index] === undefined ? "" : timeOf(minutes[index] * 60_000);
  const spoken = `${time}: ${readout.map(({ label, text }) => `${label} ${text}`).join(", ")}`;

  return (
    <figure className="chart">
      <figcaption id={id}>{title}</figcaption>
      <p className="chart-readout" aria-hidden="true">
        <span className="muted">{selected === null ? "now" : time}</span>
        {lines.map(({ kind, label }, at) => (
          <span key={label} className={`key ${kind}`}>
            {label} <b>{readout[at]?.text}</b>
          </span>
        ))}
      </p>
      <div
        ref={box}
        className="chart-box"
        role="slider"
        tabIndex={0}
        aria-labelledby={id}
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={Math.max(last, 0)}
        aria-valuenow={Math.max(index, 0)}
        aria-valuetext={spoken}
        onKeyDown={press}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => {
          setSelected(null);
        }}
        onBlur={() => {
          setSelected(null);
        }}
      >
        <svg viewBox={`0 0 ${String(width)} ${String(HEIGHT)}`} width={width} height={HEIGHT} aria-hidden="true">
          {[0, 0.5, 1].map((share) => (
            <line key={share} className="grid-line" x1={0} x2={width} y1={y(share * maximum)} y2={y(share * maximum)} />
          ))}
          <text className="axis" x={0} y={TOP - 4}>
            {format(maximum)}
          </text>
          <TimeAxis minutes={minutes} x={x} width={width} />
          {selected !== null && <line className="cursor" x1={x(index)} x2={x(index)} y1={TOP} y2={HEIGHT - BOTTOM} />}
          {lines.map(({ kind, values }) => (
            <Path key={kind} kind={kind} values={values.map(([, value]) => value)} x={x} y={y} />
          ))}
        </svg>
      </div>
    </figure>
  );
}

interface TimeAxisProps {
  readonly minutes: readonly number[];
  readonly x: (index: number) => number;
  readonly width: number;
}

/** The times of the first, the middle and the last value. */
function TimeAxis({ minutes, x, width }: TimeAxisProps): ReactElement {
  const last = minutes.length - 1;
  const middle = Math.floor(last / 2);
  const labels: (readonly [place: string, x: number, minute: number | undefined])[] = [
    ["", 0, minutes[0]],
    ["middle", x(middle), last > 1 ? minutes[middle] : undefined],
    ["end", width, minutes[last]],
  ];
  return (
    <>
      {labels.map(([place, left, minute]) => (
        <text key={place} className={`axis ${place}`} x={left} y={HEIGHT - 4}>
          {minute !== undefined && utcOf(minute * 60_000)}
        </text>
      ))}
    </>
  );
}

interface PathProps {
  readonly kind: string;
  readonly values: readonly (number | null)[];
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
}

/** A line, with a dot for each value that has no neighbor. */
function Path({ kind, values, x, y }: PathProps): ReactElement {
  const at = (index: number): number | null => values[index] ?? null;
  const commands = values.map((value, index) => {
    if (value === null) return "";
    const command = index > 0 && at(index - 1) !== null ? "L" : "M";
    return `${command}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
  });
  return (
    <g className={`line ${kind}`}>
      <path d={commands.join("")} />
      {values.map((value, index) =>
        value !== null && at(index - 1) === null && at(index + 1) === null ? (
          <circle key={index} cx={x(index)} cy={y(value)} r={2.5} />
        ) : null,
      )}
    </g>
  );
}

import { useEffect, useState, type ReactElement } from "react";

type Weather = { readonly temperature: number } | "loading" | "unavailable";

/** The current temperature of a city, from an API of this origin. */
export default function CurrentWeather({ city }: { readonly city: string }): ReactElement {
  const [weather, setWeather] = useState<Weather>("loading");
  useEffect(() => {
    const aborter = new AbortController();
    fetchWeather(city, aborter.signal).then(setWeather, () => {
      if (!aborter.signal.aborted) setWeather("unavailable");
    });
    return () => {
      aborter.abort();
    };
  }, [city]);
  if (weather === "unavailable") return <p className="notice">The weather of {city} is unavailable right now.</p>;
  return (
    <p>{weather === "loading" ? `Loading the weather of ${city}` : `${city} now: ${String(weather.temperature)} °C`}</p>
  );
}

async function fetchWeather(city: string, signal: AbortSignal): Promise<Weather> {
  const response = await fetch(`/api/weather?${new URLSearchParams({ city }).toString()}`, { signal });
  if (!response.ok) throw new Error(`the weather API responded with ${String(response.status)}`);
  return (await response.json()) as { temperature: number };
}

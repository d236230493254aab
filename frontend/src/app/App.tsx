import { QueryClient, QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { onUnauthenticated } from "../api/http";
import { asProblem } from "../api/problem";
import { HomeScreen } from "../features/projects/HomeScreen";
import { NoticeBanner } from "../features/problems/NoticeBanner";
import { SessionLost } from "../features/session/SessionLost";
import { useAppStore } from "../store/store";
import styles from "./App.module.css";
import { Crash } from "./Crash";
import { ProjectPage } from "./ProjectPage";
import { go, useRoute } from "./route";
import { TopBar } from "./TopBar";

const MOST_RETRIES = 2;

/** Reads are asked again where that may help: no answer, or a service that starts anew. */
function makeQueryClient(): QueryClient {
  const retry = (failures: number, error: Error) => {
    const { status } = asProblem(error);
    return failures < MOST_RETRIES && (status === 0 || status >= 502);
  };
  return new QueryClient({ defaultOptions: { queries: { retry, staleTime: 5_000 } } });
}

export function App() {
  const [queryClient] = useState(makeQueryClient);
  return (
    <QueryClientProvider client={queryClient}>
      <div className={styles.app}>
        <Crash>
          <Screen />
        </Crash>
        <NoticeBanner />
        <SessionGuard />
      </div>
    </QueryClientProvider>
  );
}

function Screen() {
  const route = useRoute();
  if (route.project !== null) return <ProjectPage key={route.project} project={route.project} route={route} />;
  return (
    <>
      <TopBar />
      <HomeScreen onOpen={(project) => go({ project })} />
    </>
  );
}

function SessionGuard() {
  const queryClient = useQueryClient();
  const sessionLost = useAppStore((state) => state.sessionLost);
  const setSessionLost = useAppStore((state) => state.setSessionLost);
  useEffect(() => onUnauthenticated(() => setSessionLost(true)), [setSessionLost]);
  if (!sessionLost) return null;
  const restored = () => {
    setSessionLost(false);
    void queryClient.resetQueries();
  };
  return <SessionLost onRestored={restored} />;
}

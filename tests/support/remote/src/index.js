import("./start.jsx");

import { configureStore, createSlice } from "@reduxjs/toolkit";
import { Provider, useDispatch, useSelector } from "react-redux";

const counter = createSlice({
  name: "counter",
  initialState: { value: 0 },
  reducers: {
    increment: (state) => {
      state.value += 1;
    },
  },
});
const store = configureStore({ reducer: counter.reducer });

function Counter() {
  const value = useSelector((state) => state.value);
  const dispatch = useDispatch();
  return <button onClick={() => dispatch(counter.actions.increment())}>{`Clicked ${value}`}</button>;
}

export default () => (
  <Provider store={store}>
    <Counter />
  </Provider>
);

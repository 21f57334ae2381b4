-- Makes wrk send a form of 1 KB.
wrk.method = "POST"
wrk.headers["content-type"] = "application/x-www-form-urlencoded"
wrk.body = "name=someone&note=" .. string.rep("x", 1000)
